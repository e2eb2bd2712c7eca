import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isBusy, sqliteBusy } from './store-errors.ts';

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

type AuditValues = readonly SQLInputValue[];

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

const TOGETHER = 8; // rows of one statement: to run one costs about as much as a row

/** Commits audit rows over a connection of its own, which never waits for the lock by itself. */
class AuditCommit {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #columns: readonly string[];
  #inserts: { readonly one: StatementSync; readonly several: StatementSync } | undefined;

  constructor(file: string, columns: readonly string[]) {
    this.#columns = columns;
    this.#database = new DatabaseSync(file, { timeout: 0 });
    this.#database.exec('pragma synchronous = full');
    this.#begin = this.#database.prepare('begin immediate');
    this.#end = this.#database.prepare('commit');
  }

  /** False: another connection holds the lock. */
  takeLock(): boolean {
    try {
      this.#begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** Under the lock, all of them or none; gives the lock back. */
  commit(rows: readonly AuditValues[]): void {
    try {
      this.#inserts ??= { one: this.#insertOf(1), several: this.#insertOf(TOGETHER) };
      const { one, several } = this.#inserts;
      let at = 0;
      for (; at + TOGETHER <= rows.length; at += TOGETHER) several.run(...joined(rows, at));
      for (const row of rows.slice(at)) one.run(...row);
      this.#end.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  /** `or rollback`: by default SQLite would copy each page aside, so as to take back this one statement. */
  #insertOf(rows: number): StatementSync {
    const row = `(${this.#columns.map(() => '?').join()})`;
    return this.#database.prepare(
      `insert or rollback into audit (${this.#columns.join()}) values ${Array(rows).fill(row).join()}`,
    );
  }
}

/** A `flat()` of our own: that of arrays takes several times as long. */
function joined(rows: readonly AuditValues[], from: number): SQLInputValue[] {
  const values: SQLInputValue[] = [];
  for (let at = from; at < from + TOGETHER; at++) values.push(...(rows[at] ?? []));
  return values;
}
