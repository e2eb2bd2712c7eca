import type { Principal } from '../access/principal.ts';
import type { QueryUseRepository } from '../store/metadata-store.ts';

/** Uses of something, by its id: a write for each would cost more than the call. */
export interface BatchedUses {
  note(id: string): void;
  flush(): Promise<void>;
}

export interface Uses {
  readonly id: string;
  readonly count: number;
  readonly at: number; // the last one
}

/** Counts in memory and writes with `flush`. If the write fails, the counts are kept for the next one. */
export function createBatchedUses(write: (batch: readonly Uses[]) => Promise<void>, now: () => number): BatchedUses {
  const uses = new Map<string, Uses>();
  const add = ({ id, count, at }: Uses): void => {
    const before = uses.get(id);
    uses.set(id, { id, count: count + (before?.count ?? 0), at: Math.max(at, before?.at ?? 0) });
  };
  return {
    note: (id) => add({ id, count: 1, at: now() }),
    flush: async () => {
      if (uses.size === 0) return;
      const batch = [...uses.values()];
      uses.clear();
      try {
        await write(batch);
      } catch (error) {
        batch.forEach(add);
        throw error;
      }
    },
  };
}

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
