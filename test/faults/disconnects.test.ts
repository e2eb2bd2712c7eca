import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { listActive, addPostgres } from '../support/databases/restartable-postgres.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type Caller, type List, admin, expectStatus } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

// the long form: TEST_LEAVERS=20
const CLIENTS = Number(process.env.TEST_LEAVERS ?? 8);
const GONE_MS = process.env.TEST_LEAVERS === undefined ? 10_000 : 2_000;

describe.skipIf(postgresProblem() !== null)('abandoned work', () => {
  let workspace: Workspace;
  let service: ServiceProcess;
  let author: Caller;
  let key: string;
  let url: string;
  let slow: string;
  let short: string;
  let quick: string;
  beforeAll(async () => {
    workspace = await createWorkspace();
    service = await workspace.start({
      SLUICE_MAX_PER_DATABASE: String(CLIENTS + 1),
      SLUICE_MAX_PER_USER: String(CLIENTS),
      SLUICE_QUEUE: '0',
    });
    author = service.as(admin);
    key = (await createKey(author)).key;
    url = await createDatabase();
    await addPostgres(author, 'Far', url);
    const query = async (name: string, sql: string, timeoutSeconds: number) =>
      (await publish(author, { name, sql, database: 'Far', timeoutSeconds })).queryName;
    slow = await query('Slow', 'select pg_sleep(60)::text as slept', 120);
    short = await query('Short', 'select pg_sleep(30)::text as slept', 1);
    quick = await query('Quick', 'select pg_sleep(0.3)::text as slept', 30);
  });
  afterAll(() => workspace?.remove());

  const active = async (): Promise<number> => (await listActive(url)).length;
  const allActive = async () => expect(await waitUntil(active, (count) => count === CLIENTS, 30_000)).toBe(CLIENTS);
  const times = <T>(make: (index: number) => T): T[] => Array.from({ length: CLIENTS }, (_, index) => make(index));

  /** Nothing runs in the database, no execution is listed, and every slot is free: as many calls as fit start immediately. */
  async function expectWhole(how: string): Promise<void> {
    const startedAt = performance.now();
    expect(await waitUntil(active, (count) => count === 0, GONE_MS)).toBe(0);
    const goneMs = Math.round(performance.now() - startedAt);
    const listed = async () => (await author.call<List<unknown>>('GET', '/api/v1/executions')).json.items;
    expect(await waitUntil(listed, (items) => items.length === 0, 10_000)).toEqual([]);
    const results = await Promise.all(times(() => author.run(quick)));
    expect(results.map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200));
    reportFigure(3, `${CLIENTS} ${how}: nothing active in the database after ${goneMs} ms, ${CLIENTS} of ${CLIENTS} places free`);
  }

  /** `firstBytes` resolves when the body starts, `ended` when the client has disconnected. */
  function sent(path: string, body: unknown): { leave(): void; firstBytes: Promise<unknown>; ended: Promise<unknown> } {
    const leaving = new AbortController();
    const response = fetch(service.url + path, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    const firstBytes = response.then(({ body }) => body?.getReader().read());
    firstBytes.catch(() => undefined);
    return { leave: () => leaving.abort(), firstBytes, ended: response.catch(() => 'left') };
  }

  test('ends when its callers disconnect', { timeout: 120_000 }, async () => {
    const calls = times(() => sent('/api/v1/JsonBuilder/ExecuteQuery', { QueryName: slow, Parameters: [] }));
    await allActive();
    for (const call of calls) call.leave();
    expect(await Promise.all(calls.map(({ ended }) => ended))).toEqual(times(() => 'left'));
    await expectWhole('disconnected clients');
  });

  test('ends when MCP clients abort', { timeout: 120_000 }, async () => {
    const calls = times((index) => {
      const tool = index % 2 === 0 ? 'execute_query' : 'start_stream';
      const params = { name: tool, arguments: { apiKey: key, queryName: slow } };
      return sent('/mcp', { jsonrpc: '2.0', id: index, method: 'tools/call', params });
    });
    await allActive();
    for (const call of calls) call.leave();
    await Promise.all(calls.map(({ ended }) => ended));
    await expectWhole('aborted tool calls');
  });

  test('ends when it times out', { timeout: 120_000 }, async () => {
    const results = await Promise.all(times(() => author.run(short)));
    expect(results.map(({ status, json }) => ({ status, json }))).toMatchObject(
      times(() => ({ status: 500, json: { code: 'query_timed_out' } })),
    );
    await expectWhole('time-outs');
  });

  test('ends when it is cancelled', { timeout: 120_000 }, async () => {
    const calls = times(() => author.run(slow));
    await allActive();
    const { items } = (await author.call<List<{ id: string }>>('GET', '/api/v1/executions')).json;
    for (const { id } of items) await expectStatus(author.call('DELETE', `/api/v1/executions/${id}`), 204);
    for (const call of calls) expect(await call).toMatchObject({ status: 500, json: { code: 'query_cancelled' } });
    await expectWhole('cancelled queries');
  });

  test('ends when the client of an export disconnects', { timeout: 120_000 }, async () => {
    const sql = "select i, repeat('x', 2000) as x, pg_sleep(0.0005)::text as t from generate_series(1, 10000000) i";
    const { queryName } = await publish(author, { name: 'Long', sql, database: 'Far', timeoutSeconds: 120 });
    const calls = times(() => sent('/api/v1/Export/ExecuteQuery?format=csv', { QueryName: queryName, Parameters: [] }));
    await allActive();
    await Promise.all(calls.map(({ firstBytes }) => firstBytes));
    for (const call of calls) call.leave();
    await Promise.all(calls.map(({ ended }) => ended));
    await expectWhole('aborted exports');
  });
});
