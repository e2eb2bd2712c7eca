import type { Principal } from '../access/principal.ts';
import type { QueryUseRepository } from '../store/metadata-store.ts';
import { createBatchedUses } from './batched-uses.ts';

export type QueryRuns = ReturnType<typeof createQueryRuns>;

/** When queries last ran, written in batches. Runs count as uses by a person only in the web interface. */
export function createQueryRuns(queryUses: Pick<QueryUseRepository, 'noteRuns'>, now: () => number) {
  const uses = createBatchedUses((batch) => queryUses.noteRuns(batch.map(({ id, at }) => ({ ...runOf(id), at }))), now);
  return {
    note: (queryId: string, { userId, authentication }: Principal): void =>
      uses.note(authentication.kind === 'session' ? `${queryId} ${userId}` : queryId),
    flush: uses.flush,
  };
}

function runOf(id: string): { queryId: string; userId: string | null } {
  const [queryId = '', userId = null] = id.split(' ');
  return { queryId, userId };
}
