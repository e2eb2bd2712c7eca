import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { BatchEncoder } from '../../embedded/child/batch-encoder.ts';
import { batchesAhead, byteLength, creditFor, frameTypes } from '../../embedded/frames.ts';
import type { BoundSql, DeclaredColumn, Request, WireValue } from '../protocol.ts';
import { writerOf } from './cell-writers.ts';
import { runPhase, Refusal } from './failure.ts';
import { flush, receive, send, sendJson } from './link.ts';
import { type GuardedDatabase, type OpenFile, openToWrite } from './open-file.ts';

const mostCells = 16_384; // of a batch
const longestMs = 25; // slow rows are not delayed

type RunRequest = Request & { readonly type: 'run' };
type DescribeRequest = Request & { readonly type: 'describe' };

export function describe(open: GuardedDatabase, { purpose, sql }: DescribeRequest): DeclaredColumn[] {
  try {
    return runPhase('prepare', () => open.guard.enter(purpose, () => columnsOf(prepareOne(open, sql))));
  } finally {
    open.guard.leave();
  }
}

/** Sends the columns, the batches and the end or the error. Rolls back, unless there is an Epilogue. */
export function run(file: OpenFile, request: RunRequest): void {
  if (request.epilogue === undefined) {
    const open = file.toRead(request.file);
    // a transaction from the start keeps the schema unchanged between preparing and running
    runInTransaction(open, 'BEGIN', () => sendRows(open, request));
    sendJson(frameTypes.end, null);
    return;
  }
  const { epilogue } = request;
  const open = openToWrite(request.file, request.timeoutMs);
  try {
    runInTransaction(open, 'BEGIN IMMEDIATE', () => {
      const prepare = () => open.guard.enter('epilogue', () => prepareOne(open, epilogue.sql));
      runPhase('prepare', prepare); // an invalid Epilogue is reported before the rows
      sendRows(open, request, () => prepare().run(valuesOf(epilogue)));
    });
  } finally {
    open.database.close();
  }
  sendJson(frameTypes.end, null);
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
function sendRows(open: GuardedDatabase, { main }: RunRequest, epilogue?: () => void): void {
  const { database, guard } = open;
  const statement = runPhase('prepare', () => guard.enter('select', () => prepareOne(open, main.sql)));
  const rows = runPhase('prepare', () => statement.iterate(valuesOf(main)));
  const columns = columnsOf(statement);
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

function prepareOne({ database }: GuardedDatabase, sql: string): StatementSync {
  const statement = database.prepare(sql);
  // SQLite ignores text after the first statement; the service sends the text up to its semicolon
  if (statement.sourceSQL !== sql) throw new Refusal('Write one statement.');
  return statement;
}

const columnsOf = (statement: StatementSync): DeclaredColumn[] => statement.columns().map(({ name, type }) => ({ name, type }));

function valuesOf({ values }: BoundSql): Record<string, SQLInputValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inputValue(value)]));
}

function inputValue([storage, text = '']: WireValue): SQLInputValue {
  switch (storage) {
    case 'null':
      return null;
    case 'integer':
      return BigInt(text);
    case 'real':
      return Number(text);
    case 'text':
      return text;
    case 'blob':
      return Buffer.from(text, 'base64');
  }
}
