import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as two from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools as declaredTools } from '../../src/doors/mcp/tool-list.ts';
import { createKey } from '../support/people/accounts.ts';
import { installPrograms } from '../support/programs.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

// Third-party clients, which check every response against their own schemas.

let service: TestService;
let key: string;
let folder: string; // what mcp-remote and the Inspector write
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-remote-'));
  service = await startTestService();
  ({ key } = await createKey(service.as(admin), { name: 'clients' }));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

interface AnyClient {
  listTools(): Promise<{ tools: { name: string; inputSchema: { properties?: object | undefined } }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }, ...options: unknown[]): Promise<unknown>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

const url = () => new URL(`${service.url}/mcp`);
const withHeader = () => ({ requestInit: { headers: { 'X-API-Key': key } } });
const info = { name: 'client of a test', version: '1.2.3' };

async function overSdk1(options: object): Promise<AnyClient> {
  const client = new Client(info);
  // the types of the SDK do not support exactOptionalPropertyTypes
  await client.connect(new StreamableHTTPClientTransport(url(), options) as Parameters<Client['connect']>[0]);
  return client;
}

async function overSdk2(options: object): Promise<AnyClient> {
  const client = new two.Client(info);
  await client.connect(new two.StreamableHTTPClientTransport(url(), options));
  return client;
}

/** Without a handshake: the client names its version in every request. */
async function overStateless(options: object): Promise<AnyClient> {
  const client = new two.Client(info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { N: 3 } }));
  await client.connect(new two.StreamableHTTPClientTransport(url(), options));
  return client;
}

async function overMcpRemote(options: object): Promise<AnyClient> {
  const words = 'requestInit' in options ? ['--header', `X-API-Key:${key}`] : [];
  const client = new Client(info);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(await installPrograms(), 'mcp-remote/dist/proxy.js'), url().href, '--transport', 'http-only', ...words],
      env: { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: folder },
      stderr: 'ignore',
    }),
  );
  return client;
}

describe.each([
  ['the official SDK 1.x', overSdk1],
  ['the official SDK 2.x', overSdk2],
  ['the official SDK 2.x without a handshake', overStateless],
  ['mcp-remote', overMcpRemote],
])('%s', (_name, connect) => {
  test('works with a key in a header, without apiKey in the schemas', { timeout: 60_000 }, async () => {
    const client = await connect(withHeader());
    if (connect !== overStateless) await client.ping(); // the stateless revision has none
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(declaredTools.length);
    expect(tools.every(({ inputSchema }) => !('apiKey' in (inputSchema.properties ?? {})))).toBe(true);
    await useEveryTool(client, {});
    await client.close();
  });

  test('works with the key as an argument', { timeout: 60_000 }, async () => {
    const client = await connect({});
    const { tools } = await client.listTools();
    expect(tools.every(({ inputSchema }) => 'apiKey' in (inputSchema.properties ?? {}))).toBe(true);
    await useEveryTool(client, { apiKey: key });
    await expect(client.callTool({ name: 'list_queries', arguments: {} })).rejects.toMatchObject({ code: 40101 });
    expect(await client.callTool({ name: 'execute_query', arguments: { apiKey: key, queryName: 'none' } })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('list_queries') }],
    });
    await client.close();
  });
});

async function useEveryTool(client: AnyClient, withKey: Record<string, unknown>): Promise<void> {
  const use = async (name: string, sent: Record<string, unknown> = {}) => {
    const response = (await client.callTool({ name, arguments: { ...withKey, ...sent } })) as {
      structuredContent: Record<string, unknown>;
    }; // the client has validated the result against the output schema
    return response.structuredContent;
  };
  const queryName = 'QD_Customers_Demo';
  expect(await use('get_user_profile')).toMatchObject({ userName: 'admin' });
  expect(await use('list_queries', { search: 'customers' })).toMatchObject({ queries: expect.any(Array) });
  expect(await use('list_databases')).toMatchObject({ databases: [{ name: 'Demo' }] });
  expect(await use('get_query_detail', { queryId: queryName })).toMatchObject({ queryName });
  expect(await use('get_query_parameters', { queryName })).toMatchObject({ queryName });
  const parameters = [{ ParameterName: '@Country', Value: 'Portugal' }];
  const page = await use('execute_query', { queryName, parameters, rowSize: 2 });
  const next = await use('execute_query_next_page', { queryMoreCode: page.QueryMoreCode });
  expect([page.NextRowIndex, next.NextRowIndex]).toEqual([2, 4]);
  const chunk = await use('start_stream', { queryName, chunkSize: 2 });
  expect(await use('resume_stream', { streamToken: chunk.streamToken })).toMatchObject({ chunkIndex: 1, rowsSent: 4 });
  expect(await use('export_query', { queryName, format: 'xlsx' })).toMatchObject({ format: 'xlsx' });
  const chart = { queryName: 'QD_Sales_by_region_Demo', chartType: 'bar' };
  expect(await client.callTool({ name: 'execute_chart_query', arguments: { ...withKey, ...chart } })).toMatchObject({
    content: [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }],
  });
}

test('a client that shows forms is asked for missing parameters', async () => {
  const parameters = [{ name: '@N', dataType: 'int', required: true }];
  const { queryName } = await publish(service.as(admin), { name: 'Up to', sql: 'select range as n from range(@N)', parameters });
  const client = await overStateless(withHeader());
  expect(await client.callTool({ name: 'execute_query', arguments: { queryName } })).toMatchObject({
    structuredContent: { NextRowIndex: 3 },
  });
  await client.close();
});

test.each([
  ['1.x', overSdk1],
  ['2.x without a handshake', overStateless],
])('a call of the SDK %s that is aborted ends in the database', async (_version, connect) => {
  const sql = 'select count(*) as n from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7';
  const { queryName } = await publish(service.as(admin), { name: `Busy ${_version}`, sql });
  const client = await connect(withHeader());
  const leaving = new AbortController();
  const running = async () => (await service.as(admin).call<{ items: unknown[] }>('GET', '/api/v1/executions')).json.items.length;
  const call = client.callTool({ name: 'execute_query', arguments: { queryName } }, ...signalOf(connect, leaving.signal));
  const ended = call.catch((error: unknown) => error);
  expect(await waitUntil(running, (count) => count === 1)).toBe(1);
  leaving.abort('enough');
  expect(await ended).toBeInstanceOf(Error);
  expect(await waitUntil(running, (count) => count === 0)).toBe(0);
  await client.close();
});

/** SDK 1.x has the result schema before the options. */
const signalOf = (connect: unknown, signal: AbortSignal): unknown[] => {
  const options = { signal, onprogress: () => undefined };
  return connect === overSdk1 ? [undefined, options] : [options];
};

describe('the Inspector', () => {
  const inspect = async (...words: string[]) => {
    const program = join(await installPrograms(), '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
    const args = [program, '--cli', url().href, '--transport', 'http', '--header', `X-API-Key: ${key}`, ...words];
    const env = { ...process.env, HOME: folder, MCP_CATALOG_PATH: join(folder, 'mcp.json') };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 1 << 24 });
    return JSON.parse(stdout);
  };

  test('lists tools and resources and calls a tool', { timeout: 120_000 }, async () => {
    expect((await inspect('--method', 'tools/list')).tools).toHaveLength(declaredTools.length);
    expect((await inspect('--method', 'resources/list')).resources).toMatchObject([{ uri: 'ui://sluice/chart' }]);
    const called = ['--method', 'tools/call', '--tool-name', 'execute_query', '--tool-arg', 'queryName=QD_Sales_by_region_Demo'];
    expect(await inspect(...called)).toMatchObject({ structuredContent: { QueryMoreCode: null } });
  });
});

test('the audit trail names the client by the clientInfo of each call', async () => {
  const client = await overStateless(withHeader());
  await client.callTool({ name: 'get_user_profile', arguments: {} });
  await client.close();
  const { json } = await service.as(admin).call<{ items: { client: string }[] }>('GET', '/api/v1/audit?channel=mcp&limit=1');
  expect(json.items.map((item) => item.client)).toEqual(['client of a test/1.2.3']);
});
