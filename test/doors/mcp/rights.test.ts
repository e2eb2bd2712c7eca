import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditItem, auditOf } from '../../support/audit-entries.ts';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { type McpCaller, mcpOf } from '../../support/http/mcp.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { publishSlowQuery } from '../../support/queries/slow-query.ts';
import { type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

let service: TestService;
let mcp: McpCaller;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  ({ key } = await createKey(service.as(admin), { name: 'assistant' }));
  mcp = mcpOf(service, key);
});
afterAll(() => service.close());

const region = { queryName: 'QD_Sales_by_region_Demo', rowSize: 1 };
const codeOf = async (response: ReturnType<McpCaller['call']>) => (await response).json.error?.code;
const listedNames = async (by: McpCaller): Promise<string[]> =>
  ((await by.tool('list_queries', { limit: 200 })).queries as { queryName: string }[]).map(({ queryName }) => queryName);

describe('a key', () => {
  test.each([
    (each: string) => ({ 'X-API-Key': each }),
    (each: string) => ({ Authorization: `Bearer ${each}` }),
    (each: string) => ({ Authorization: `bearer  ${each}` }),
  ])('can be sent in a header', async (headers) => {
    expect(await mcpOf(service).tool('execute_query', region, headers(key))).toMatchObject({ RowSize: 1 });
    expect(await codeOf(mcpOf(service).call('execute_query', region, headers('slc_wrong')))).toBe(40101);
  });

  test('as an argument takes precedence over a header', async () => {
    const bad = { 'X-API-Key': 'slc_wrong' };
    expect(await codeOf(mcp.call('execute_query', region, bad))).toBeUndefined();
    for (const apiKey of ['slc_wrong', 5, true, []])
      expect(await codeOf(mcpOf(service).call('execute_query', { ...region, apiKey }, { 'X-API-Key': key }))).toBe(40101);
    expect(await codeOf(mcpOf(service).call('execute_query', { ...region, apiKey: null }, { 'X-API-Key': key }))).toBeUndefined();
    expect(await codeOf(mcpOf(service).call('execute_query', { ...region, API_KEY: key }))).toBeUndefined();
  });

  test('is the only accepted credential', async () => {
    const Authorization = `Basic ${Buffer.from(`admin:${admin.password}`).toString('base64')}`;
    expect(await codeOf(mcpOf(service).call('execute_query', region, { Authorization }))).toBe(40101);
  });

  test.each(['revoked', 'expired', 'of a disabled user'])('that is %s is refused with a message', async (how) => {
    const { id: userId, caller } = await createUser(service, `gone ${how}`, { roles: ['Query User'], databases: ['*'] });
    const { id, key: own } = await createKey(caller);
    const person = mcpOf(service, own);
    expect(await codeOf(person.call('execute_query', region))).toBeUndefined();
    const root = service.as(admin);
    if (how === 'revoked') await expectStatus(caller.call('DELETE', `/api/v1/account/api-keys/${id}`), 204);
    else {
      const change = how === 'expired' ? { expiresAt: '2020-01-01T00:00:00Z' } : { disabled: true };
      await expectStatus(root.call('PATCH', `/api/v1/users/${userId}`, change), 200);
    }
    const response = await person.call('execute_query', region);
    expect([response.status, response.json.error?.code]).toEqual([200, 40101]);
    expect(response.json.error?.data.reason).toBe(how === 'expired' ? 'credential_expired' : 'credential_revoked');
    expect(response.json.error?.message).toMatch(/My Account → API Keys|administrator/);
    expect(response.text).not.toContain(own);
  });

  test('over its rate is refused with a delay', async () => {
    const slow = await startTestService({ SLUICE_RATE_PER_KEY: '1' });
    try {
      const hasty = mcpOf(slow, (await createKey(slow.as(admin))).key);
      const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(hasty.call('get_user_profile'))));
      expect(codes.filter((code) => code === 42901).length).toBeGreaterThanOrEqual(3);
    } finally {
      await slow.close();
    }
  });
});

describe('a query', () => {
  test('that is closed to AI is neither listed, shown nor run, but still runs by REST', async () => {
    const { id, queryName } = await publish(service.as(admin), { name: 'For people', sql: 'select 1 as n', aiAccess: false });
    expect(await listedNames(mcp)).not.toContain(queryName);
    for (const tool of ['execute_query', 'start_stream', 'execute_chart_query'])
      expect(await codeOf(mcp.call(tool, { queryName }))).toBe(40301);
    expect(await codeOf(mcp.call('export_query', { queryName, format: 'csv' }))).toBe(40301);
    for (const queryId of [id, queryName]) {
      expect(await codeOf(mcp.call('get_query_detail', { queryId }))).toBe(40301);
      expect(await codeOf(mcp.call('get_query_parameters', { queryId }))).toBe(40301);
    }
    expect((await service.as({ key }).run(queryName)).status).toBe(200);

    await expectStatus(service.as(admin).call('PATCH', `/api/v1/queries/${id}`, { aiAccess: true }), 200);
    expect(await listedNames(mcp)).toContain(queryName);
    expect(await codeOf(mcp.call('execute_query', { queryName }))).toBeUndefined();
  });

  test('that writes is closed to AI unless its author opens it', async () => {
    await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (n integer)']);
    const database = { name: 'Ledger', kind: 'duckdb', connection: { file: 'ledger.duckdb' }, writable: true };
    await expectStatus(service.as(admin).call('POST', '/api/v1/databases', database), 201);
    const writes = { database: 'Ledger', sql: 'select count(*) as n from log', epilogue: 'insert into log values (1)' };
    const closed = await publish(service.as(admin), { name: 'Closed', ...writes });
    const open = await publish(service.as(admin), { name: 'Open', ...writes, aiAccess: true });
    expect(await codeOf(mcp.call('execute_query', { queryName: closed.queryName }))).toBe(40301);
    expect(await mcp.tool('list_queries', { database: 'Ledger' })).toMatchObject({
      queries: [{ queryName: open.queryName, hasWrites: true }],
    });
    for (const n of [0, 1])
      expect(await mcp.tool('execute_query', { queryName: open.queryName })).toMatchObject({ Data: [{ n }] });
  });
});

describe('the audit trail', () => {
  test('has an entry for every call with its tool and the owner of the key', async () => {
    const response = await mcp.call('execute_query', region, { 'User-Agent': 'a client/1.0' });
    expect(await auditOf(service.as(admin), response)).toMatchObject({
      user: 'admin',
      apiKey: 'assistant',
      action: 'execute_query',
      query: region.queryName,
      queryVersion: 1,
      channel: 'mcp',
      outcome: 'ok',
      status: 200,
      rows: 1,
    });
    const code = (await mcp.tool('execute_query', region)).QueryMoreCode;
    const token = (await mcp.tool('start_stream', { queryName: region.queryName, chunkSize: 1 })).streamToken;
    const calls: [tool: string, sent: Record<string, unknown>, expected: Partial<AuditItem>][] = [
      ['get_user_profile', {}, { query: null }],
      ['list_queries', { limit: 3 }, { rows: 3 }],
      ['list_databases', {}, {}],
      ['get_query_detail', { queryId: region.queryName }, { query: region.queryName }],
      ['get_query_parameters', { queryName: region.queryName }, { query: region.queryName }],
      ['execute_query_next_page', { queryMoreCode: code }, { query: region.queryName, rows: 1 }],
      ['resume_stream', { streamToken: token }, { query: region.queryName, rows: 1 }],
      ['execute_chart_query', region, { query: region.queryName, rows: 1 }],
      ['export_query', { queryName: region.queryName, format: 'csv' }, { query: region.queryName, rows: 6 }],
    ];
    for (const [tool, sent, expected] of calls)
      expect(await auditOf(service.as(admin), await mcp.call(tool, sent))).toMatchObject({
        action: tool,
        channel: 'mcp',
        outcome: 'ok',
        user: 'admin',
        ...expected,
      });
  });

  test('has an entry for every refused call', async () => {
    const audited = async (response: ReturnType<McpCaller['call']>) => auditOf(service.as(admin), await response);
    expect(await audited(mcpOf(service).call('execute_query', region))).toMatchObject({
      user: null,
      action: 'execute_query',
      outcome: 'refused',
      status: 401,
    });
    expect(await audited(mcpOf(service, 'slc_wrong').call('list_queries'))).toMatchObject({
      user: null,
      outcome: 'refused',
      status: 401,
    });
    expect(await audited(mcp.call('execute_query', { queryName: 'QD_none' }))).toMatchObject({
      user: 'admin',
      query: 'QD_none',
      outcome: 'refused',
      status: 403,
    });
    expect(await audited(mcp.call('execute_query', {}))).toMatchObject({ user: 'admin', outcome: 'refused', status: 400 });
    expect(await audited(mcp.call('resume_stream', { streamToken: 'x' }))).toMatchObject({
      action: 'resume_stream',
      outcome: 'refused',
      status: 400,
    });
  });

  test('names the client of each call, not of an earlier one on the same connection', async () => {
    const connection = new Agent({ keepAlive: true, maxSockets: 1 }); // as a proxy shares it between callers
    const ports = new Set<number | undefined>();
    const send = async (agent: string, method: string, params: Record<string, unknown>): Promise<AuditItem | undefined> => {
      const sent = request(`${service.url}/mcp`, {
        method: 'POST',
        agent: connection,
        headers: { 'Content-Type': 'application/json', 'User-Agent': agent, 'X-API-Key': key },
      });
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      const [response] = await once(sent, 'response');
      ports.add(response.socket.localPort);
      await response.resume().toArray();
      const headers = new Headers({ 'x-request-id': String(response.headers['x-request-id']) });
      return method === 'tools/call' ? auditOf(service.as(admin), { headers }) : undefined;
    };
    const hello = (name: string) => ({ protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } });
    const profile = { name: 'get_user_profile', arguments: {} };
    const _meta = { 'io.modelcontextprotocol/clientInfo': { name: 'named in the call', version: '7' } };
    await send('agent-a/1', 'initialize', hello('client a'));
    expect(await send('agent-b/2', 'tools/call', profile)).toMatchObject({ client: 'agent-b/2' });
    await send('agent-b/2', 'initialize', hello('client b'));
    expect(await send('agent-a/1', 'tools/call', profile)).toMatchObject({ client: 'agent-a/1' });
    expect(await send('agent-b/2', 'tools/call', { ...profile, _meta })).toMatchObject({ client: 'named in the call/7' });
    expect(await send('agent-a/1', 'tools/call', profile)).toMatchObject({ client: 'agent-a/1' });
    expect(ports.size).toBe(1);
    connection.destroy();
  });

  test('contains no key, and neither does the log', async () => {
    const { key: canary } = await createKey(service.as(admin), { name: 'canary' });
    const secret = canary.slice(13); // follows its id
    const by = mcpOf(service, canary);
    await by.call('execute_query', { ...region, parameters: [{ ParameterName: '@x', Value: 'y' }] });
    await by.call('execute_query', { queryName: 5, apikey: canary, API_KEY: canary });
    await by.call('no_such_tool', {});
    const wrong = `${canary.slice(0, -1)}x`;
    const texts = [
      await mcpOf(service, wrong).call('execute_query', region),
      await by.rpc('tools/call', { name: 'execute_query', arguments: { apiKey: canary, queryName: {} } }),
      await by.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"apiKey":"${canary}"`),
      await by.rpc(`nothing`, { apiKey: canary }),
    ].map(({ text }) => text);
    const audit = await service.as(admin).call('GET', '/api/v1/audit?limit=1000');
    expect(texts.join('\n')).not.toContain(secret);
    expect(audit.text).not.toContain(secret);
    expect(service.log().join('\n')).not.toContain(secret);
    for (const file of await readdir(service.folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || file.name.endsWith('.duckdb')) continue;
      const bytes = await readFile(join(file.parentPath, file.name)).catch(() => Buffer.alloc(0)); // deleted meanwhile
      expect([file.name, bytes.includes(secret)]).toEqual([file.name, false]);
    }
  });
});

test('a client disconnect cancels the query in the database', async () => {
  const slow = await publishSlowQuery(service.as(admin));
  const leave = new AbortController();
  const sent = fetch(`${service.url}/mcp`, {
    method: 'POST',
    signal: leave.signal,
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'execute_query', arguments: { queryName: slow.queryName, parameters: { '@Steps': 1e9 } } },
    }),
  }).catch((error: unknown) => error);
  const running = async () => {
    const { json } = await service.as(admin).call<{ items: { query: string }[] }>('GET', '/api/v1/executions');
    return json.items.some(({ query }) => query === slow.queryName);
  };
  expect(await waitUntil(running, (yes) => yes)).toBe(true);
  leave.abort();
  await sent;
  expect(await waitUntil(running, (yes) => !yes)).toBe(false);
});
