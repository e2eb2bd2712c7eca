import { parentPort, workerData } from 'node:worker_threads';
import { AuditCommit, type AuditValues } from './audit-commit.ts';
import { sqliteBusy } from './store-errors.ts';

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
const clock = new Int32Array(new SharedArrayBuffer(4)); // nobody ever wakes it
let audit: AuditCommit | undefined;

parentPort?.on('message', (batch: string) => {
  parentPort?.postMessage(committed(JSON.parse(batch)));
});

function committed(rows: readonly AuditValues[]): Problem | null {
  try {
    audit ??= new AuditCommit(file, columns);
    waitForLock(audit);
    audit.commit(rows);
    return null;
  } catch (error) {
    const errcode = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
    return { message: error instanceof Error ? error.message : String(error), errcode };
  }
}

/** Other processes commit within a millisecond, so that SQLite's own waits, which soon grow to 25 ms, would be too long. */
function waitForLock(commit: AuditCommit): void {
  const deadline = performance.now() + patienceMs;
  for (let pauseMs = 0.2; !commit.takeLock(); pauseMs = Math.min(pauseMs * 1.5, 10)) {
    if (performance.now() > deadline) throw Object.assign(new Error('database is locked'), { errcode: sqliteBusy });
    Atomics.wait(clock, 0, 0, pauseMs);
  }
}
