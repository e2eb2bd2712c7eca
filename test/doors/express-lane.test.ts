import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publish } from '../support/publish.ts';
import { sendAndLeave } from '../support/request-of.ts';
import { createKey } from '../support/rest-callers.ts';
import { admin, startTestService, type TestService } from '../support/service.ts';

/** A plain call takes the express lane; with a cookie, whichever, the same call goes through the framework. Nobody may tell them apart. */
const PATHS = ['/api/v1/JsonBuilder/ExecuteQuery', '/api/v1/ChartBuilder/ExecuteQuery'];
const UNPLAIN = { Cookie: 'other=1' };

let service: TestService;
let key: string;
let one: string;
let shared: string;
beforeAll(async () => {
  service = await startTestService({ SLUICE_BODY_LIMIT: '2000' });
  const author = service.as(admin);
  key = (await createKey(author, 'express')).key;
  one = (await publish(author, { name: 'One', sql: 'select 1 as n' })).queryName;
  shared = (await publish(author, { name: 'Shared', sql: 'select 2 as n', cacheSeconds: 60 })).queryName;
});
afterAll(() => service.close());

interface Heard {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

function send(path: string, body: string, headers: Record<string, string>): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const sent = request(service.url + path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.end(body);
  });
}

/** What differs between any two calls. */
const withoutItsOwn = ({ status, headers, body }: Heard): Heard => ({
  status,
  headers: { ...headers, 'x-request-id': typeof headers['x-request-id'], date: '' },
  body: body.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id'),
});

const query = (name: string, more: object = {}): string => JSON.stringify({ QueryName: name, Parameters: [], ...more });

test.each<[string, () => { body: string; headers?: Record<string, string>; status: number }]>([
  ['rows', () => ({ body: query(one), headers: { 'X-API-Key': key }, status: 200 })],
  ['rows with paging', () => ({ body: query(one), headers: { 'X-API-Key': key, RowSize: '5', RowIndex: '0' }, status: 200 })],
  ['a shared result', () => ({ body: query(shared), headers: { 'X-API-Key': key, 'Cache-Control': 'no-cache' }, status: 200 })],
  ['no credential', () => ({ body: query(one), status: 401 })],
  ['no credential, from a browser', () => ({ body: query(one), headers: { 'User-Agent': 'Mozilla/5.0' }, status: 401 })],
  ['a wrong key', () => ({ body: query(one), headers: { 'X-API-Key': 'slc_nonsense' }, status: 401 })],
  ['an unknown query', () => ({ body: query('QD_Nowhere'), headers: { 'X-API-Key': key }, status: 403 })],
  [
    'a parameter too many',
    () => ({
      body: query(one, { Parameters: [{ ParameterName: '@No', Value: '1' }] }),
      headers: { 'X-API-Key': key },
      status: 400,
    }),
  ],
  ['broken JSON', () => ({ body: '{"QueryName":', headers: { 'X-API-Key': key }, status: 400 })],
  ['no body', () => ({ body: '', headers: { 'X-API-Key': key }, status: 400 })],
  ['too large a body', () => ({ body: query(one, { More: 'x'.repeat(3000) }), headers: { 'X-API-Key': key }, status: 413 })],
])('%s: the same both ways', async (_what, sent) => {
  const { body, headers = {}, status } = sent();
  for (const path of PATHS) {
    const plain = await send(path, body, headers);
    const usual = await send(path, body, { ...headers, ...UNPLAIN });
    expect(plain.status, plain.body).toBe(status);
    expect(withoutItsOwn(plain)).toEqual(withoutItsOwn(usual));
  }
});

const message = (method: string, params?: object, more: object = { id: 7 }): string =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }), ...more });
const toolCall = (name: string, sent: object): string => message('tools/call', { name, arguments: sent });

test.each<[string, () => { body: string; headers?: Record<string, string>; status: number }]>([
  ['ping', () => ({ body: message('ping'), status: 200 })],
  ['the list of tools', () => ({ body: message('tools/list'), headers: { 'X-API-Key': key }, status: 200 })],
  ['a notification', () => ({ body: message('notifications/initialized', undefined, {}), status: 202 })],
  ['rows', () => ({ body: toolCall('execute_query', { queryName: one, apiKey: key }), status: 200 })],
  [
    'rows, with the key as a header',
    () => ({ body: toolCall('execute_query', { queryName: one }), headers: { 'X-API-Key': key }, status: 200 }),
  ],
  ['no key', () => ({ body: toolCall('execute_query', { queryName: one }), status: 200 })],
  ['an unknown tool', () => ({ body: toolCall('nonsense', {}), status: 200 })],
  ['an unknown version', () => ({ body: message('ping'), headers: { 'MCP-Protocol-Version': '1999-01-01' }, status: 400 })],
  ['broken JSON', () => ({ body: '{', status: 400 })],
  ['a batch', () => ({ body: `[${message('ping')}]`, status: 400 })],
  ['a foreign host', () => ({ body: message('ping'), headers: { Host: 'evil.example' }, status: 403 })],
  ['too large a body', () => ({ body: message('ping', { more: 'x'.repeat(3000) }), status: 413 })],
])('a message, %s: the same both ways', async (_what, sent) => {
  const { body, headers = {}, status } = sent();
  const plain = await send('/mcp', body, headers);
  const usual = await send('/mcp', body, { ...headers, ...UNPLAIN });
  expect(plain.status, plain.body).toBe(status);
  expect(withoutItsOwn(plain)).toEqual(withoutItsOwn(usual));
});

test('a body in pieces, and one of no told length', async () => {
  const heard = await send(PATHS[0] ?? '', query(one), { 'X-API-Key': key, 'Transfer-Encoding': 'chunked' });
  expect(heard).toMatchObject({ status: 200, body: expect.stringContaining('"n":1') });
  const endless = await send(PATHS[0] ?? '', 'x'.repeat(50_000), { 'X-API-Key': key, 'Transfer-Encoding': 'chunked' });
  expect(endless.status).toBe(413);
});

test('other methods and paths go the usual way', async () => {
  const answers = await Promise.all([
    fetch(service.url + PATHS[0], { method: 'GET' }),
    fetch(service.url + PATHS[0], { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: query(one) }),
    fetch(`${service.url}${PATHS[0]}/x`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: query(one) }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([405, 405, 404]);
});

test('who leaves in mid-body harms nobody, and times are counted', async () => {
  const { host } = new URL(service.url);
  const head = `POST ${PATHS[0]} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nX-API-Key: ${key}\r\n`;
  for (let times = 0; times < 5; times++) await sendAndLeave(service.url, `${head}Content-Length: 500\r\n\r\n{"QueryName":`);
  for (let times = 0; times < 5; times++)
    await sendAndLeave(service.url, `${head}Content-Length: ${query(one).length}\r\n\r\n${query(one)}`);
  expect((await send(PATHS[0] ?? '', query(one), { 'X-API-Key': key })).status).toBe(200);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(
    /sluice_http_request_duration_seconds_count\{method="POST",route="\/api\/v1\/JsonBuilder\/ExecuteQuery",status="200"\} \d+/,
  );
});
