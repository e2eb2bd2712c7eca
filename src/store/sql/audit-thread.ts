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

Error.stackTraceLimit = 0; // to find the lock taken is nothing unusual, and nobody reads where it was

const { file, columns, patienceMs }: Setup = workerData;
const database = new DatabaseSync(file, { timeout: 0 });
database.exec('pragma synchronous = full');
const begin = database.prepare('begin immediate');
const end = database.prepare('commit');
const TOGETHER = 8; // rows of one statement: to run one costs about as much as a row
let inserts: { readonly one: StatementSync; readonly several: StatementSync } | undefined;

parentPort?.on('message', (batch: string) => {
  parentPort?.postMessage(commit(JSON.parse(batch)));
});

function commit(rows: readonly (readonly SQLInputValue[])[]): Problem | null {
  try {
    takeLock(performance.now() + patienceMs);
    inserts ??= { one: insertOf(1), several: insertOf(TOGETHER) };
    let at = 0;
    for (; at + TOGETHER <= rows.length; at += TOGETHER) inserts.several.run(...rows.slice(at, at + TOGETHER).flat());
    for (const row of rows.slice(at)) inserts.one.run(...row);
    end.run();
    return null;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    const errcode = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
    return { message: error instanceof Error ? error.message : String(error), errcode };
  }
}

/** `or rollback`: by default SQLite would copy each page aside, so as to take back this one statement. */
function insertOf(rows: number): StatementSync {
  const row = `(${columns.map(() => '?').join()})`;
  return database.prepare(`insert or rollback into audit (${columns.join()}) values ${Array(rows).fill(row).join()}`);
}

/** Other processes commit within a millisecond, so that SQLite's own waits, which soon grow to 25 ms, would be too long. */
function takeLock(deadline: number): void {
  for (let pauseMs = 0.2; ; pauseMs = Math.min(pauseMs * 1.5, 10)) {
    try {
      begin.run();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(clock, 0, 0, pauseMs);
    }
  }
}

const clock = new Int32Array(new SharedArrayBuffer(4)); // nobody ever wakes it
