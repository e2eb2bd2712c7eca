import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './schema.ts';
import { isConflict } from './store-errors.ts';

/** Runs all of `work` or nothing: in the open transaction, or in one of its own. */
export type Atomically = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

const attempts = 10;

/** In a transaction of its own, serial with all others. PostgreSQL may ask for another try. */
export async function serially<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(work);
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error;
      await sleep(Math.random() * 10 * 2 ** Math.min(attempt, 5));
    }
  }
}
