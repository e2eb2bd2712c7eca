import type { Column } from '../../../core/column.ts';
import type { BoundValue } from '../../../core/sql-value.ts';
import { ConnectorError } from '../../connector.ts';
import { BatchEncoder } from '../../embedded/child/batch-encoder.ts';
import { batchesAhead, byteLength, creditFor, frameTypes, type RunRequest } from '../../embedded/frames.ts';
import { columnsOf } from './cells.ts';
import type { GuardedDatabase, Purpose } from './guard.ts';
import { flush, receive, send, sendJson } from './link.ts';
import type { OpenFile, ReadableDatabase } from './open-file.ts';
import { compile, prepare, type StatementText, statementText, valuesOf } from './prepare.ts';
import { type StartedQuery, startQuery } from './queries.ts';

const mostCells = 16_384; // of a batch
const longestMs = 25; // slow rows are not delayed

export function describe(open: GuardedDatabase, purpose: Purpose, text: StatementText): Column[] {
  try {
    return prepare(open, purpose, text, columnsOf);
  } finally {
    open.guard.leave();
  }
}

/** Sends the columns, the batches and the end or the error. Rolls back, unless there is an Epilogue. */
export function run(file: OpenFile, { statement, timeoutMs, isBatched = false }: RunRequest): void {
  const { sql, parameters, epilogue } = statement;
  const begun = performance.now();
  if (epilogue === undefined) runQuery(file.toRead(), sql, parameters, isBatched);
  else runWithEpilogue(file.toWrite(timeoutMs), sql, parameters, epilogue);
  sendJson(frameTypes.end, performance.now() - begun);
}

/** In a transaction, so that the schema is the same when the query is compiled and when it runs. */
function runQuery(open: ReadableDatabase, sql: string, parameters: readonly BoundValue[], isBatched: boolean): void {
  try {
    const schemaVersion = open.begin();
    sendRows(open.queries.start(open, schemaVersion, sql, parameters), isBatched);
  } catch (error) {
    open.queries.forget(sql);
    throw error;
  } finally {
    open.guard.leave();
    if (open.database.isTransaction) open.rollback();
  }
}

function runWithEpilogue(open: GuardedDatabase, sql: string, parameters: readonly BoundValue[], epilogue: string): void {
  const { database, guard } = open;
  try {
    const change = statementText(epilogue);
    const values = valuesOf(change, parameters);
    database.exec('BEGIN IMMEDIATE');
    database.exec('SELECT count(*) FROM sqlite_schema');
    prepare(open, 'epilogue', change, () => {}); // an invalid Epilogue is reported before the rows
    if (sendRows(startQuery(open, sql, parameters), false) === 'stopped') return;
    compile(open, 'epilogue', change.sql).run(values);
    sendJson(frameTypes.epilogueRan, null);
    guard.leave();
    if (isToBeCommitted()) database.exec('COMMIT');
  } finally {
    guard.leave();
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  }
}

const encoder = new BatchEncoder<readonly unknown[]>();

/** Sends rows until the end, or until the run is stopped. */
function sendRows({ query, rows }: StartedQuery, isBatched: boolean): 'sent' | 'stopped' {
  send(frameTypes.columns, [query.columnsJson]);
  encoder.begin(query.columns, query.write);
  let credit = batchesAhead;
  let sentAt = performance.now();
  const sendBatch = (): 'sent' | 'stopped' => {
    const parts = encoder.take();
    const cost = creditFor(byteLength(parts));
    while (credit < cost) {
      const signal = receive();
      if (signal?.type !== 'more') return 'stopped';
      credit += signal.credit;
    }
    credit -= cost;
    send(frameTypes.batch, parts);
    return 'sent';
  };
  for (const row of rows) {
    encoder.add(row as unknown as readonly unknown[]); // `returnArrays` is not in the types
    if (!encoder.isFull && encoder.cells < mostCells && performance.now() - sentAt < longestMs) continue;
    if (isBatched) throw new ConnectorError('failed', 'The result is too long for a batch.');
    if (sendBatch() === 'stopped') return 'stopped';
    flush();
    sentAt = performance.now();
  }
  return encoder.rows > 0 ? sendBatch() : 'sent';
}

function isToBeCommitted(): boolean {
  for (;;) {
    const request = receive();
    if (request?.type !== 'more') return request?.type === 'commit';
  }
}
