import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../schema.ts';
import { isConflict } from './store-errors.ts';

/** Runs all of `work` or nothing: in the open transaction, or in a new one. */
export type Atomically = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

const ATTEMPTS = 10;

/** Runs `work` in a new serializable transaction, again if PostgreSQL reports a conflict. */
export async function runInTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
      await sleep(Math.random() * 10 * 2 ** Math.min(attempt, 5));
    }
  }
}
