import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import * as two from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'vitest';
import { blocksOf, mcpOf, statelessOf } from './mcp.ts';

/** A client that knows of a result only what a model sees: the text of the tool. */
export interface Agent {
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

interface Gateway {
  readonly url: string;
  readonly key: string;
}

export type Connect = (gateway: Gateway) => Promise<Agent>;

const addressOf = ({ url }: Gateway) => new URL(`${url}/mcp`);
const withKey = ({ key }: Gateway) => ({ requestInit: { headers: { 'X-API-Key': key } } });
const textOf = (result: unknown): string => {
  const { content, isError } = result as { content: { type: string; text: string }[]; isError?: boolean };
  expect([content[0]?.type, isError ?? false]).toEqual(['text', false]);
  return String(content[0]?.text);
};
const withoutEnd = { close: async () => undefined };

const overSdk1: Connect = async (gateway) => {
  const client = new Client({ name: 'agent', version: '1' });
  // the types of the SDK do not support exactOptionalPropertyTypes
  const transport = new StreamableHTTPClientTransport(addressOf(gateway), withKey(gateway));
  await client.connect(transport as Parameters<Client['connect']>[0]);
  await client.listTools(); // from now on it checks results against their schemas
  return {
    call: async (name, sent) => textOf(await client.callTool({ name, arguments: sent })),
    close: () => client.close(),
  };
};

const overSdk2 =
  (options: object): Connect =>
  async (gateway) => {
    const client = new two.Client({ name: 'agent', version: '1' }, options);
    await client.connect(new two.StreamableHTTPClientTransport(addressOf(gateway), withKey(gateway)));
    await client.listTools();
    return {
      call: async (name, sent) => textOf(await client.callTool({ name, arguments: sent })),
      close: () => client.close(),
    };
  };

/** Calls the tools as the loop of the AI SDK does. */
const overAiSdk: Connect = async (gateway) => {
  const headers = { 'X-API-Key': gateway.key };
  const client = await createMCPClient({ transport: { type: 'http', url: addressOf(gateway).href, headers } });
  const tools = await client.tools();
  return {
    call: async (name, sent) =>
      textOf(await tools[name]?.execute(sent, { toolCallId: 'call', messages: [], context: {} } as never)),
    close: () => client.close(),
  };
};

/** The program, with the key as an argument of the tool. */
const overCurl: Connect = async ({ url, key }) => ({
  ...withoutEnd,
  async call(name, sent) {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { apiKey: key, ...sent } } };
    const args = ['-s', `${url}/mcp`, '-H', 'Content-Type: application/json', '-d', JSON.stringify(body)];
    const { stdout } = await promisify(execFile)('curl', args, { maxBuffer: 16 << 20 });
    return textOf(JSON.parse(stdout).result);
  },
});

export const agents: readonly (readonly [string, Connect])[] = [
  ['the official SDK 1.x', overSdk1],
  ['the official SDK 2.x', overSdk2({})],
  ['the official SDK 2.x without a handshake', overSdk2({ versionNegotiation: { mode: { pin: '2026-07-28' } } })],
  ['the AI SDK', overAiSdk],
  ['curl', overCurl],
];

export const protocolVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 'none'] as const;

/** A caller of this protocol version. */
export const overVersion =
  (version: (typeof protocolVersions)[number]): Connect =>
  async (gateway) => {
    const headers = { 'X-API-Key': gateway.key, ...(version === 'none' ? {} : { 'MCP-Protocol-Version': version }) };
    const call = version === '2026-07-28' ? statelessOf(gateway, headers).call : mcpOf(gateway).call;
    return { ...withoutEnd, call: async (name, sent) => String(blocksOf(await call(name, sent, headers))[0]?.text) };
  };

/** Follows the note of each page, as a model would: the tool that it names, with the code of the page. */
export async function readByNotes(
  agent: Agent,
  sent: Record<string, unknown>,
  onPage: (text: string, rows: readonly unknown[]) => void,
): Promise<void> {
  let text = await agent.call('execute_query', sent);
  for (;;) {
    const { Data, QueryMoreCode, note = '' } = JSON.parse(text) as Record<string, unknown>;
    onPage(text, Data as unknown[]);
    const next = /Continue with queryMoreCode.* (\w+) takes the code/.exec(String(note));
    if (next === null) return expect(QueryMoreCode).toBeNull();
    text = await agent.call(String(next[1]), { queryMoreCode: QueryMoreCode });
  }
}
