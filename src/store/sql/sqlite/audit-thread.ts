import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { AuditEntry } from '../../../audit/audit-entry.ts';
import { auditRowOf } from '../audit/audit-row.ts';
import type { Batch } from '../audit/audit-threads.ts';
import { respondWith } from '../audit/respond-with.ts';
import { removeNul } from '../statements/normalize-text.ts';
import { isBusy, patienceMs, sqliteBusy, storeErrorOf } from '../statements/store-errors.ts';

type Values = readonly SQLInputValue[];

interface Connection {
  readonly database: DatabaseSync;
  readonly begin: StatementSync;
  readonly insertOne: StatementSync;
  readonly insertSeveral: StatementSync;
  readonly commit: StatementSync;
}

const ROWS_PER_INSERT = 8; // to run a statement costs about as much as a row

Error.stackTraceLimit = 0; // a held lock is common, and its stack traces are not read

const { file }: { file: string } = workerData;
const clock = new Int32Array(new SharedArrayBuffer(4)); // for waits only, never notified
let connection: Connection | undefined;

respondWith<Batch, null>((batch) => {
  const entries: readonly AuditEntry[] = JSON.parse(batch);
  const rows = entries.map(auditRowOf);
  try {
    connection ??= connect(Object.keys(rows[0] ?? {}));
    begin(connection);
    insert(
      connection,
      rows.map((row) => removeNul(Object.values(row))),
    );
    return null;
  } catch (error) {
    throw error instanceof Error && 'errcode' in error ? storeErrorOf(error, 'insert') : error; // others are defects
  }
});

/** The connection does not wait for the lock itself: SQLite's waits soon grow to 25 ms, other processes commit within a millisecond. */
function connect(columns: readonly string[]): Connection {
  const database = new DatabaseSync(file, { timeout: 0 });
  database.exec('pragma synchronous = full');
  const row = `(${columns.map(() => '?').join()})`;
  // `or rollback`: by default SQLite copies each page aside in order to undo a single statement
  const insertOf = (rows: number): StatementSync =>
    database.prepare(`insert or rollback into audit (${columns.join()}) values ${Array(rows).fill(row).join()}`);
  return {
    database,
    begin: database.prepare('begin immediate'),
    insertOne: insertOf(1),
    insertSeveral: insertOf(ROWS_PER_INSERT),
    commit: database.prepare('commit'),
  };
}

function begin(connection: Connection): void {
  const deadline = performance.now() + patienceMs;
  for (let pauseMs = 0.2; !tryBegin(connection); pauseMs = Math.min(pauseMs * 1.5, 10)) {
    if (performance.now() > deadline) throw Object.assign(new Error('database is locked'), { errcode: sqliteBusy });
    Atomics.wait(clock, 0, 0, pauseMs);
  }
}

/** False if another connection holds the lock. */
function tryBegin({ begin }: Connection): boolean {
  try {
    begin.run();
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function insert({ database, insertOne, insertSeveral, commit }: Connection, rows: readonly Values[]): void {
  try {
    let at = 0;
    for (; at + ROWS_PER_INSERT <= rows.length; at += ROWS_PER_INSERT) insertSeveral.run(...joinRows(rows, at));
    for (const row of rows.slice(at)) insertOne.run(...row);
    commit.run();
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Faster than `flat()`, which takes several times as long. */
function joinRows(rows: readonly Values[], from: number): SQLInputValue[] {
  const values: SQLInputValue[] = [];
  for (let at = from; at < from + ROWS_PER_INSERT; at++) values.push(...(rows[at] ?? []));
  return values;
}
