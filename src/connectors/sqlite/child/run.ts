import type { Column } from '../../../core/column.ts';
import type { Statement } from '../../connector.ts';
import { BatchEncoder } from '../../embedded/child/batch-encoder.ts';
import { batchesAhead, byteLength, creditFor, frameTypes } from '../../embedded/frames.ts';
import { columnsOf, writerOf } from './cells.ts';
import type { Purpose } from './guard.ts';
import { flush, receive, send, sendJson } from './link.ts';
import type { GuardedDatabase, OpenFile } from './open-file.ts';
import { compile, prepare, queryText, type StatementText, statementText } from './prepare.ts';

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
export function run(file: OpenFile, { sql, parameters, epilogue }: Statement, timeoutMs: number): void {
  const main = queryText(sql, parameters);
  if (epilogue === undefined) {
    const open = file.toRead();
    // a transaction from the start keeps the schema unchanged between preparing and running
    runInTransaction(open, 'BEGIN', () => sendRows(open, main));
  } else {
    const change = statementText(epilogue, parameters);
    runWithEpilogue(file.toWrite(timeoutMs), main, change);
  }
  sendJson(frameTypes.end, null);
}

function runWithEpilogue(open: GuardedDatabase, main: StatementText, epilogue: StatementText): void {
  try {
    runInTransaction(open, 'BEGIN IMMEDIATE', () => {
      prepare(open, 'epilogue', epilogue, () => {}); // an invalid Epilogue is reported before the rows
      sendRows(open, main, () => compile(open, 'epilogue', epilogue.sql).run(epilogue.values));
    });
  } finally {
    open.database.close();
  }
}

function runInTransaction({ database, guard }: GuardedDatabase, begin: string, work: () => void): void {
  database.exec(begin);
  try {
    database.exec('SELECT count(*) FROM sqlite_schema');
    work();
  } finally {
    guard.leave();
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/** Sends rows until the end, or until the run is stopped. */
function sendRows(open: GuardedDatabase, main: StatementText, epilogue?: () => void): void {
  const { database, guard } = open;
  const { rows, columns } = prepare(open, 'select', main, (statement) => {
    return { rows: statement.iterate(main.values), columns: columnsOf(statement) };
  });
  sendJson(frameTypes.columns, columns);
  const encoder = new BatchEncoder(columns.length, writerOf(columns));
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
    if (sendBatch() === 'stopped') return;
    flush();
    sentAt = performance.now();
  }
  if (encoder.rows > 0 && sendBatch() === 'stopped') return;
  if (epilogue === undefined) return;
  epilogue();
  sendJson(frameTypes.epilogueRan, null);
  if (!isToBeCommitted()) return;
  guard.leave();
  database.exec('COMMIT');
}

function isToBeCommitted(): boolean {
  for (;;) {
    const request = receive();
    if (request?.type !== 'more') return request?.type === 'commit';
  }
}
