import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  ({ key } = await createKey(root, { name: 'progress' }));
  await publish(root, { name: 'Many', sql: "select range as n, repeat('x', 20) as text from range(3_000_000)" });
  const busy = 'select count(*) as n from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7';
  await publish(root, { name: 'Busy', sql: busy });
});
afterAll(() => service.close());

const stateless = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Sent {
  readonly id?: string | number;
  readonly meta?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const callTool = (name: string, args: object, { id = 1, meta = {}, headers = {}, signal }: Sent): Promise<Response> =>
  fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'X-API-Key': key, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta: meta } }),
    ...(signal === undefined ? {} : { signal }),
  });

const messagesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n\n')
    .filter((event) => event.includes('data: '))
    .map((event) => JSON.parse(event.replaceAll(/^(event|data): ?(message$)?/gm, '')));

test('a call with a progress token gets growing numbers of rows, then its response', async () => {
  const meta = { progressToken: 'p1' };
  const headers = { 'MCP-Protocol-Version': '2025-06-18' };
  const response = await callTool('export_query', { queryName: 'QD_Many_Demo', format: 'json' }, { id: 'x', meta, headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const messages = messagesOf(await response.text());
  const last = messages.pop();
  expect(last).toMatchObject({ id: 'x', result: { isError: false, structuredContent: { rowCount: 3_000_000 } } });
  expect(messages.length).toBeGreaterThan(0);
  const progress = messages.map((each) => (each.params as { progress: number }).progress);
  expect(messages[0]).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p1' } });
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(new Set(progress).size).toBe(progress.length);
});

test('errors of such a call are the last event', async () => {
  const response = await callTool('execute_query', { queryName: 'no' }, { meta: { progressToken: 7 } });
  expect([response.status, messagesOf(await response.text())]).toMatchObject([200, [{ id: 1, error: { code: 40301 } }]]);
});

test('a call without a token, or without Accept, gets JSON', async () => {
  for (const sent of [{}, { meta: { progressToken: 1 }, headers: { Accept: 'application/json' } }]) {
    const response = await callTool('list_databases', {}, sent);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    await response.body?.cancel();
  }
});

const running = async (): Promise<number> =>
  (await service.as(admin).call<{ items: unknown[] }>('GET', '/api/v1/executions')).json.items.length;
const isRunning = async (count: number) => expect(await waitUntil(running, (found) => found === count)).toBe(count);
const lastOutcome = async () =>
  (await service.as(admin).call<{ items: { outcome: string }[] }>('GET', '/api/v1/audit?channel=mcp&limit=1')).json.items[0]
    ?.outcome;

test('closing the stream of a stateless call cancels the query', async () => {
  const leaving = new AbortController();
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'execute_query' };
  const meta = { ...stateless, progressToken: 1 };
  const response = await callTool('execute_query', { queryName: 'QD_Busy_Demo' }, { meta, headers, signal: leaving.signal });
  await isRunning(1);
  leaving.abort();
  await expect(response.text()).rejects.toThrow();
  await isRunning(0);
  expect(await waitUntil(lastOutcome, (outcome) => outcome === 'cancelled')).toBe('cancelled');
});

test('notifications/cancelled of the same key cancels the only call with that id', async () => {
  const headers = { 'MCP-Protocol-Version': '2025-11-25' };
  const cancel = (requestId: unknown, sent: Record<string, string>) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers, ...sent },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'test' } }),
    });
  const call = callTool('execute_query', { queryName: 'QD_Busy_Demo' }, { id: 5, headers });
  await isRunning(1);
  expect((await cancel(5, {})).status).toBe(202);
  await cancel('5', { 'X-API-Key': key });
  await cancel(5, { 'X-API-Key': `${key}x` });
  expect(await running()).toBe(1);
  await cancel(5, { 'X-API-Key': key });
  expect(await (await call).json()).toMatchObject({ id: 5, error: { code: 50001, data: { reason: 'query_cancelled' } } });
  await isRunning(0);

  const two = [1, 2].map(() => callTool('execute_query', { queryName: 'QD_Busy_Demo' }, { id: 6, headers }));
  await isRunning(2);
  await cancel(6, { 'X-API-Key': key });
  expect(await running()).toBe(2);
  const { json } = await service.as(admin).call<{ items: { id: string }[] }>('GET', '/api/v1/executions');
  for (const { id } of json.items) await service.as(admin).call('DELETE', `/api/v1/executions/${id}`);
  for (const each of two) expect((await each).status).toBe(200);
});
