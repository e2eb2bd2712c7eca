import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as two from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../support/people/accounts.ts';
import { installedPrograms } from '../support/programs.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

// Third-party clients, which check every response against their own schemas.

let service: TestService;
let key: string;
let folder: string; // what mcp-remote writes
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
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
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

async function overMcpRemote(options: object): Promise<AnyClient> {
  const words = 'requestInit' in options ? ['--header', `X-API-Key:${key}`] : [];
  const client = new Client(info);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(await installedPrograms(), 'mcp-remote/dist/proxy.js'), url().href, '--transport', 'http-only', ...words],
      env: { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: folder },
      stderr: 'ignore',
    }),
  );
  return client;
}

describe.each([
  ['the official SDK 1.x', overSdk1],
  ['the official SDK 2.x', overSdk2],
  ['mcp-remote', overMcpRemote],
])('%s', (_name, connect) => {
  test('works with a key in a header, without apiKey in the schemas', { timeout: 60_000 }, async () => {
    const client = await connect(withHeader());
    await client.ping();
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(11);
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
  expect(await use('execute_chart_query', { queryName: 'QD_Sales_by_region_Demo' })).toMatchObject({ QueryMoreCode: null });
}

test('the audit trail names the client by its clientInfo', async () => {
  const client = await overSdk1(withHeader());
  for (let call = 0; call < 3; call++) await client.callTool({ name: 'get_user_profile', arguments: {} });
  await client.close();
  const { json } = await service.as(admin).call<{ items: { client: string }[] }>('GET', '/api/v1/audit?channel=mcp&limit=3');
  expect(json.items.map((item) => item.client)).toContain('client of a test/1.2.3');
});
