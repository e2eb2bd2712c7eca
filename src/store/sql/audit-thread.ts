import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isBusy } from './store-errors.ts';

/** A thread of its own: rows that it is sent it commits, and answers in order with null or with what went wrong. */
export interface Setup {
  readonly file: string;
  readonly columns: readonly string[]; // whose values make a row
  readonly patienceMs: number; // while another connection holds the lock
}
export interface Problem {
  readonly message: string;
  readonly errcode: number | null; // of SQLite
}

const { file, columns, patienceMs }: Setup = workerData;
const database = new DatabaseSync(file, { timeout: 0 });
database.exec('pragma synchronous = full');
let insert: StatementSync | undefined;

parentPort?.on('message', (batch: string) => {
  parentPort?.postMessage(commit(JSON.parse(batch)));
});

function commit(rows: readonly (readonly SQLInputValue[])[]): Problem | null {
  try {
    begin(performance.now() + patienceMs);
    insert ??= database.prepare(`insert into audit (${columns.join()}) values (${columns.map(() => '?').join()})`);
    for (const row of rows) insert.run(...row);
    database.exec('commit');
    return null;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    const errcode = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
    return { message: error instanceof Error ? error.message : String(error), errcode };
  }
}

/** Other processes commit within a millisecond, so that SQLite's own waits, which soon grow to 25 ms, would be too long. */
function begin(deadline: number): void {
  for (let pauseMs = 0.1; ; pauseMs = Math.min(pauseMs * 1.5, 10)) {
    try {
      database.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(clock, 0, 0, pauseMs);
    }
  }
}

const clock = new Int32Array(new SharedArrayBuffer(4)); // nobody ever wakes it
