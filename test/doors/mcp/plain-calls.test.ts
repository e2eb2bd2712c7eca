import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let key: string;
let revoked: string;
let expired: string;
let foreign: string; // of another user
let queryId: string;
let passedMs = 0;

beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' }, () => Date.now() + passedMs);
  const root = service.as(admin);
  const orders = Array.from({ length: 6 }, (_, index) => `(${index + 1}, '${index % 2 === 0 ? 'Nørth' : 'South'}', ${index}.50)`);
  const file = await makeDuckdbFile(service.files, 'shop.duckdb', [
    'create table orders (id integer, region varchar, amount decimal(9, 2))',
    `insert into orders values ${orders.join(', ')}`,
  ]);
  const database = { name: 'Shop', kind: 'duckdb', connection: { file }, description: 'Orders of a shop' };
  await expectStatus(root.call('POST', '/api/v1/databases', database), 201);
  const parameters = [
    { name: '@Region', dataType: 'nvarchar(20)', required: true, description: 'Where', values: ['Nørth', 'South'] },
    { name: '@Least', dataType: 'int', required: false, default: '1' },
  ];
  const sql =
    'select id as "Order", region as "Region", amount as "Amount" from orders where region = @Region and id >= @Least order by id';
  const ofShop = { database: 'Shop' };
  const texts = { description: 'Orders of a region', tip: 'Pick a region' };
  ({ id: queryId } = await publish(root, { ...ofShop, ...texts, name: 'Orders', sql, parameters }));
  await publish(root, { ...ofShop, name: 'All orders', sql: 'select * from orders order by id' });
  const tooLong = 'select count(*) as n from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7';
  await publish(root, { ...ofShop, name: 'Slow', sql: tooLong, timeoutSeconds: 1 });
  const failing = 'select cast(region as integer) as n from orders';
  await publish(root, { ...ofShop, name: 'Failing', sql: failing });
  await publish(root, { ...ofShop, name: 'Not for assistants', sql: 'select 1 as n', aiAccess: false });
  const ana = await createQueryUser(service, 'ana', { fullName: 'Ana Ä' });
  ({ key } = await createKey(ana.caller, { name: 'assistant' }));
  ({ key: expired } = await createKey(ana.caller, { name: 'short', expiresInDays: 1 }));
  const gone = await createKey(ana.caller, { name: 'gone' });
  revoked = gone.key;
  await expectStatus(ana.caller.call('DELETE', `/api/v1/account/api-keys/${gone.id}`), 204);
  ({ key: foreign } = await createKey(root, { name: 'foreign' }));
});
afterAll(() => service.close());

const json = { 'Content-Type': 'application/json' };
const north = [{ ParameterName: '@Region', Value: 'Nørth', DataType: 'nvarchar' }];
const Orders = 'QD_Orders_Shop';
const All = 'QD_All_orders_Shop';

/** Calls as docs/spec.md describes them: with curl, without a protocol version, the key as an argument. */
test('plain calls get the recorded bytes', async () => {
  const shown: string[] = [];
  const send = async (method: string, headers: Record<string, string>, body?: string): Promise<string> => {
    const standard = { Host: new URL(service.url).host, Accept: '*/*' };
    const sent = { method, path: '/mcp', headers: { ...standard, ...headers } };
    const response = await sendRaw(service.url, body === undefined ? sent : { ...sent, body });
    const { 'content-type': type = '', 'cache-control': cache = '', allow } = response.headers;
    const head = [response.status, type, cache, ...(allow === undefined ? [] : [`Allow: ${allow}`])].join(' | ');
    shown.push(`> ${method} ${body ?? JSON.stringify(headers)}`, `< ${head}`, `< ${response.text}`, '');
    return response.text;
  };
  const post = (body: unknown) => send('POST', json, typeof body === 'string' ? body : JSON.stringify(body));
  const rpc = (method: string, params?: unknown) => post({ jsonrpc: '2.0', id: 1, method, params });
  const call = async (name: string, sent: object = {}, apiKey: unknown = key) => {
    const text = await rpc('tools/call', { name, arguments: { apiKey, ...sent } });
    return JSON.parse(text).result?.structuredContent as Record<string, unknown>;
  };

  await send('GET', {});
  await send('GET', { Accept: 'text/event-stream' });
  await send('DELETE', {});
  await rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '8' } });
  await rpc('initialize');
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await post({ jsonrpc: '2.0', id: 'a', method: 'ping' });
  await rpc('tools/list');
  await rpc('tools/list', { cursor: 'x' });

  await call('get_user_profile');
  await call('list_queries');
  await call('list_queries', { search: 'orders', database: 'Shop', limit: 1 });
  const { nextCursor } = await call('list_queries', { limit: 2 });
  await call('list_queries', { limit: 2, cursor: nextCursor });
  await call('list_databases');
  await call('get_query_detail', { queryId });
  await call('get_query_parameters', { queryId });
  await call('get_query_parameters', { queryName: Orders });
  for (const parameters of [
    north,
    { '@Region': 'Nørth' },
    JSON.stringify(north),
    [...north, { ParameterName: 'least', Value: 4 }],
  ])
    await call('execute_query', { queryName: Orders, parameters });
  const first = await call('execute_query', { queryName: All, rowSize: 4 });
  await call('execute_query_next_page', { queryMoreCode: first.QueryMoreCode });
  await call('execute_query', { queryName: All, rowIndex: 5, queryMoreCode: first.QueryMoreCode });
  const chunk = await call('start_stream', { queryName: All, chunkSize: 5 });
  await call('resume_stream', { streamToken: chunk.streamToken });
  await call('export_query', { queryName: All, format: 'csv', fileName: 'orders' });
  await call('execute_chart_query', { queryName: Orders, parameters: north, rowSize: 2 });

  for (const apiKey of [undefined, null, '', 5, 'slc_unknown', revoked]) await call('execute_query', { queryName: All }, apiKey);
  await rpc('tools/call');
  await rpc('tools/call', { name: 'no_such_tool', arguments: { apiKey: key } });
  await rpc('tools/call', { name: 'list_queries', arguments: [] });
  await rpc('no/such/method');
  for (const queryName of ['QD_None_Shop', 'QD_Not_for_assistants_Shop']) await call('execute_query', { queryName });
  await call('execute_query', { query: Orders });
  await call('execute_query');
  await call('execute_query', { queryName: All, rowSize: 'many', rowIndex: -1 });
  await call('execute_query', { queryName: Orders });
  await call('execute_query', { queryName: Orders, parameters: { '@Region': null } });
  await call('execute_query', { queryName: Orders, parameters: { '@Region': 'Nørth', '@Regoin': 1 } });
  await call('execute_query', { queryName: Orders, parameters: [...north, { ParameterName: '@Least', Value: 'x' }] });
  await call('execute_query', { queryName: Orders, parameters: 'Nørth' });
  await call('execute_query_next_page');
  for (const queryMoreCode of ['x', chunk.streamToken]) await call('execute_query_next_page', { queryMoreCode });
  for (const streamToken of ['x', first.QueryMoreCode]) await call('resume_stream', { streamToken });
  await call('execute_query_next_page', { queryMoreCode: first.QueryMoreCode }, foreign);
  await call('list_queries', { cursor: 'x' });
  await call('export_query', { queryName: All, format: 'pdf' });
  await call('get_query_detail', { queryId: 'none' });
  await call('get_query_parameters');
  await call('execute_query', { queryName: 'QD_Failing_Shop' });
  await call('execute_query', { queryName: 'QD_Slow_Shop' });

  for (const body of [
    '{',
    '[]',
    '"a"',
    '{"jsonrpc":"1.0","id":7,"method":"ping"}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  ])
    await post(body);
  await post([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  await post({ jsonrpc: '2.0', id: 1, method: 'ping', params: [] });
  await send('POST', { 'Content-Type': 'text/plain' }, '{"jsonrpc":"2.0","id":1,"method":"ping"}');

  passedMs = 2 * 24 * 60 * 60_000;
  await call('execute_query', { queryName: All }, expired);
  await call('execute_query_next_page', { queryMoreCode: first.QueryMoreCode });
  await call('resume_stream', { streamToken: chunk.streamToken });

  await expect(normalized(shown.join('\n'))).toMatchFileSnapshot('plain-calls.txt');
});

/** Without what differs between two runs. */
const normalized = (text: string): string =>
  text
    .replaceAll(service.url, 'https://sluice.example')
    .replaceAll(key, 'slc_key')
    .replaceAll(revoked, 'slc_revoked')
    .replaceAll(expired, 'slc_expired')
    .replaceAll(foreign, 'slc_foreign')
    .replaceAll(/[\w-]{60,}/g, '<code>')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"version":"\d+(\.\d+){3}"/g, '"version":"<version>"');
