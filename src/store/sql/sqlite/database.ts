import { open as openFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../metadata-store.ts';
import { isBusy } from '../statements/store-errors.ts';

/** How long to retry while another process holds the lock; a call that fails then still responds within 5 s. */
export const patienceMs = 3_500;

const busyTimeoutMs = 5; // SQLite's wait blocks the event loop

export async function openSqliteDatabase(file: string): Promise<DatabaseSync> {
  try {
    await createPrivately(file);
    const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    await configure(database);
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError('unavailable', `The metadata store ${file} cannot be opened: ${reason}`, { cause: error });
  }
}

// SQLite gives its -wal and -shm files the mode of the database
async function createPrivately(file: string): Promise<void> {
  const handle = await openFile(file, 'a', 0o600);
  await handle.close();
}

async function configure(database: DatabaseSync): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      // full: an audit entry that was committed survives a power cut
      return database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    } catch (error) {
      if (isBusy(error) && performance.now() < deadline) {
        await sleep(25);
        continue;
      }
      database.close();
      throw error;
    }
  }
}
