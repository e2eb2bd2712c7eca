import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entryOf } from '../support/audit-entries.ts';
import { makeDuckdbFile } from '../support/databases/duckdb-file.ts';
import { expectProblem } from '../support/http/problem.ts';
import { createKey } from '../support/people/accounts.ts';
import { countLines, executionsOf, startExport } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const LINES = 269_239;

let service: TestService;
let author: Caller;
let caller: Caller;
let key: { key: string };
let endless: string;
beforeAll(async () => {
  service = await startTestService();
  author = service.as(admin);
  key = await createKey(author, { name: 'exports' });
  caller = service.as(key);
  const sql = 'select i, md5(cast(i as varchar)) as t from range(100000000) r(i)';
  endless = (await publish(author, { name: 'Endless', sql })).queryName;
});
afterAll(() => service.close());

const running = () => executionsOf(caller);
const path = (format: string) => `/api/v1/Export/ExecuteQuery?format=${format}`;

test.each([
  ['ndjson', LINES],
  ['csv', LINES + 1],
])('exports all order lines as %s without losing a row', async (format, lines) => {
  const before = process.memoryUsage.rss();
  const response = await startExport(service, key, format, { QueryName: 'QD_Order_lines_Demo' });
  const read = await countLines(response.body);
  expect(read.lines).toBe(lines);
  expect(await entryOf(author, response)).toMatchObject({
    action: 'query.export',
    channel: 'export',
    outcome: 'ok',
    status: 200,
    rows: LINES,
    bytes: read.bytes,
    apiKey: 'exports',
  });
  console.log(`${format}: ${read.bytes >> 20} MiB, resident memory grew by ${(read.peak - before) >> 20} MiB at its peak`);
});

test('a client disconnect cancels the query, which is listed with its rows until then', async () => {
  const leave = new AbortController();
  const response = await startExport(service, key, 'csv', { QueryName: endless }, { signal: leave.signal });
  const reader = response.body?.getReader();
  for (let chunk = 0; chunk < 20; chunk++) await reader?.read();
  const [execution] = await running();
  expect(execution).toMatchObject({ query: endless, channel: 'export', state: 'running' });
  expect(execution?.rows).toBeGreaterThan(1000);
  leave.abort();
  const left = await waitUntil(running, (all) => all.length === 0, 2000);
  expect(left).toEqual([]);
  const entry = await entryOf(author, response);
  expect(entry).toMatchObject({ action: 'query.export', outcome: 'cancelled', query: endless });
  expect(entry?.rows).toBeGreaterThan(1000);
});

test('cancelling the execution aborts the export', async () => {
  const response = await startExport(service, key, 'ndjson', { QueryName: endless });
  const read = countLines(response.body).catch((error: unknown) => error);
  const [execution] = await waitUntil(running, (all) => (all[0]?.rows ?? 0) > 0);
  await expectStatus(caller.call('DELETE', `/api/v1/executions/${execution?.id}`), 204);
  expect(await read).toBeInstanceOf(Error);
  expect(await entryOf(author, response)).toMatchObject({ outcome: 'cancelled' });
});

test('a slow reader gets all rows from a file without holding a database connection', async () => {
  const { hostname, port } = new URL(service.url);
  const sent = request({
    host: hostname,
    port,
    method: 'POST',
    path: path('ndjson'),
    headers: { 'X-API-Key': key.key, 'Content-Type': 'application/json' },
  });
  sent.end(JSON.stringify({ QueryName: 'QD_Order_lines_Demo', Parameters: [] }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.pause();
  expect(await running()).toHaveLength(1);
  const before = process.memoryUsage.rss();
  expect(await waitUntil(running, (all) => all.length === 0, 30_000)).toEqual([]);
  console.log(`while the reader slept, resident memory grew by ${(process.memoryUsage.rss() - before) >> 20} MiB`);
  expect((await countLines(response)).lines).toBe(LINES);
});

describe('rows of a query with an Epilogue', () => {
  const open = async (name: string, epilogue: string) =>
    (await publish(author, { name, database: 'Ledger', sql: 'select i as n from range(60000) r(i)', epilogue })).queryName;
  const written = async () => (await expectStatus(author.run('QD_Written_Ledger'), 200)).json.Data[0]?.n;
  beforeAll(async () => {
    await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (n integer check (n < 100))']);
    const database = { name: 'Ledger', kind: 'duckdb', connection: { file: 'ledger.duckdb' }, writable: true };
    await expectStatus(author.call('POST', '/api/v1/databases', database), 201);
    await publish(author, { name: 'Written', database: 'Ledger', sql: 'select count(*) as n from log' });
  });

  test('are sent after the commit', async () => {
    const queryName = await open('Fine', 'insert into log values (1)');
    const response = await startExport(service, key, 'ndjson', { QueryName: queryName });
    expect([(await countLines(response.body)).lines, await written()]).toEqual([60_000, 1]);
  });

  test('are not sent when the Epilogue fails', async () => {
    const queryName = await open('Failing', 'insert into log values (100)');
    await expectProblem(caller.call('POST', path('ndjson'), { QueryName: queryName, Parameters: [] }), 500, 'query_failed');
    expect(await written()).toBe(1);
  });
});

test('leaves no running execution and no file', async () => {
  expect(await waitUntil(running, (all) => all.length === 0, 2000)).toEqual([]);
  for (const folder of ['scratch', 'exports']) {
    const names = await readdir(`${service.folder}/${folder}`);
    expect(names.filter((name) => /^spool-|\.part$|\.draft$/.test(name))).toEqual([]);
  }
});
