import type { Principal } from '../access/principal.ts';
import type { ModelAnswer, QueryUseRepository } from '../store/metadata-store.ts';

export interface Uses {
  readonly id: string;
  readonly count: number;
  readonly at: number; // the last one
}

/**
 * Counts the uses of objects by their ids in memory and writes them with `flush`: a write per use would cost more than the use itself.
 * If the write fails, the counts are kept for the next one.
 */
export function createBatchedUses(write: (batch: readonly Uses[]) => Promise<void>, now: () => number) {
  const uses = new Map<string, Uses>();
  const add = ({ id, count, at }: Uses): void => {
    const before = uses.get(id);
    uses.set(id, { id, count: count + (before?.count ?? 0), at: Math.max(at, before?.at ?? 0) });
  };
  return {
    note: (id: string): void => add({ id, count: 1, at: now() }),
    flush: async (): Promise<void> => {
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

type Runner = Pick<Principal, 'userId' | 'authentication'>;

export type QueryRuns = ReturnType<typeof createQueryRuns>;

/** When and how often queries ran, written in batches. Runs count as uses by a person only in the web interface. */
export function createQueryRuns(queryUses: Pick<QueryUseRepository, 'noteRuns'>, now: () => number) {
  const answers = new Map<string, ModelAnswer>(); // by the id of the query
  const uses = createBatchedUses(async (batch) => {
    const written = new Map(answers);
    const runs = batch.map(({ id, at, count }) => ({ ...runOf(id), at, count }));
    await queryUses.noteRuns(runs.map((run) => ({ ...run, answer: written.get(run.queryId) })));
    for (const [queryId, answer] of written) if (answers.get(queryId) === answer) answers.delete(queryId);
  }, now);
  return {
    note: (queryId: string, { userId, authentication }: Runner, answer: ModelAnswer | null): void => {
      if (answer !== null) answers.set(queryId, answer);
      uses.note(authentication.kind === 'session' ? `${queryId} ${userId}` : queryId);
    },
    flush: uses.flush,
  };
}

function runOf(id: string): { queryId: string; userId: string | null } {
  const [queryId = '', userId = null] = id.split(' ');
  return { queryId, userId };
}
