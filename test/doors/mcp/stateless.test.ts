import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpOf, statelessOf, type StatelessCaller } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

// The revision 2026-07-28: no handshake, every request names its version and the client's capabilities.

let service: TestService;
let mcp: StatelessCaller;
beforeAll(async () => {
  service = await startTestService();
  const { key } = await createKey(service.as(admin), { name: 'stateless' });
  mcp = statelessOf(service, { 'X-API-Key': key });
});
afterAll(() => service.close());

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const serverInfo = { name: 'sluice', title: 'Sluice', version: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) };
const supported = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const kept = { ttlMs: expect.any(Number), cacheScope: 'private' };

test('server/discover describes the server', async () => {
  const { status, json } = await mcp.rpc('server/discover');
  expect([status, json.result]).toEqual([
    200,
    {
      resultType: 'complete',
      supportedVersions: supported,
      capabilities: expect.objectContaining({ tools: { listChanged: false } }),
      instructions: expect.stringContaining('list_queries'),
      ...kept,
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    },
  ]);
});

test('tools/list can be kept and has the same order each time', async () => {
  const { json } = await mcp.rpc('tools/list');
  expect(json.result).toMatchObject({
    resultType: 'complete',
    ...kept,
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  });
  expect((await mcp.rpc('tools/list')).json).toEqual(json);
});

test('a tool responds without a handshake, and the audit trail names the client', async () => {
  const { json } = await mcp.call('execute_query', { queryName: 'QD_Sales_by_region_Demo', rowSize: 1 });
  expect(json.result).toMatchObject({ resultType: 'complete', isError: false, structuredContent: { RowSize: 1 } });
  expect(json.result).toHaveProperty('_meta', { 'io.modelcontextprotocol/serverInfo': serverInfo });
  const audit = await service.as(admin).call<{ items: { client: string }[] }>('GET', '/api/v1/audit?channel=mcp&limit=1');
  expect(audit.json.items[0]?.client).toBe('stateless test/1.0');
});

describe('_meta', () => {
  test.each([
    ['is missing', undefined],
    ['is no object', 'x'],
    ['has no version', { [CAPABILITIES]: {} }],
    ['has no capabilities', { [VERSION]: '2026-07-28' }],
    ['has capabilities that are no object', { [VERSION]: '2026-07-28', [CAPABILITIES]: [] }],
    ['has a version that is no string', { [VERSION]: 5, [CAPABILITIES]: {} }],
  ])('that %s is refused', async (_what, meta) => {
    const { status, json } = await mcp.rpc('tools/list', { _meta: meta });
    expect([status, json.error?.code, json.error?.data.reason, json.id]).toEqual([400, -32602, 'meta_invalid', 1]);
  });

  test.each(['2025-11-25', '2030-01-01'])('that names the version %s gets the supported ones', async (version) => {
    const meta = { [VERSION]: version, [CAPABILITIES]: {} };
    const { status, json } = await mcp.rpc('tools/list', { _meta: meta }, { 'MCP-Protocol-Version': version });
    expect([status, json.error?.code, json.error?.data]).toMatchObject([400, -32022, { supported, requested: version }]);
    expect(json.error?.message).toContain(version === '2025-11-25' ? 'begins with initialize' : 'is not supported. Use one of');
  });
});

describe('headers', () => {
  const name = 'list_databases';
  test.each([
    ['no version', { 'MCP-Protocol-Version': '' }],
    ['another version', { 'MCP-Protocol-Version': '2025-11-25' }],
    ['no method', { 'Mcp-Method': '' }],
    ['another method', { 'Mcp-Method': 'tools/list' }],
    ['a method in another case', { 'Mcp-Method': 'Tools/Call' }],
    ['no name', { 'Mcp-Name': '' }],
    ['another name', { 'Mcp-Name': 'list_queries' }],
    ['an invalid encoding', { 'Mcp-Name': '=?base64?!!!?=' }],
  ])('with %s are refused', async (_what, headers) => {
    const { status, json } = await mcp.call(name, {}, headers);
    expect([status, json.error?.code, json.error?.data.reason, json.id]).toEqual([400, -32020, 'header_mismatch', 1]);
  });

  test('may have the name in Base64', async () => {
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`;
    expect((await mcp.call(name, {}, { 'Mcp-Name': encoded })).status).toBe(200);
  });
});

test.each(['initialize', 'ping', 'logging/setLevel', 'subscriptions/listen', 'prompts/list', 'no/such', '__proto__'])(
  'the method %s is unknown',
  async (method) => {
    const { status, json } = await mcp.rpc(method);
    expect([status, json.error?.code, json.id]).toEqual([404, -32601, 1]);
  },
);

test('a notification gets 202, and a batch is refused', async () => {
  const headers = { 'MCP-Protocol-Version': '2026-07-28' };
  expect((await mcpOf(service).post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202);
  const batch = await mcpOf(service).post([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], headers);
  expect([batch.status, batch.json.error?.code]).toEqual([400, -32600]);
});

test('initialize without _meta is the handshake of older versions, whatever the header', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const { status, json } = await mcpOf(service).rpc('initialize', params, { 'MCP-Protocol-Version': '2026-07-28' });
  expect([status, json.result?.protocolVersion, json.result?.resultType]).toEqual([200, '2025-06-18', undefined]);
});

test('a missing key stays a JSON-RPC error with status 200', async () => {
  const { status, json } = await statelessOf(service).call('list_databases');
  expect([status, json.error?.code]).toEqual([200, 40101]);
});
