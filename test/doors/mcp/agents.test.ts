import { createMCPClient } from '@ai-sdk/mcp';
import * as two from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, contentOf, mcpOf, statelessOf } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

// Clients that know of a result only what a model sees: the text of the tool.

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  ({ key } = await createKey(service.as(admin), { name: 'agents' }));
});
afterAll(() => service.close());

const largest = 'QD_Order_lines_Demo'; // 270,000 rows
const MOST_TOKENS = 20_000;
const month = { '@From': '2024-03-01', '@To': '2024-03-31' };

interface Agent {
  /** The text of the result. */
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const url = () => new URL(`${service.url}/mcp`);
const withKey = () => ({ requestInit: { headers: { 'X-API-Key': key } } });
const textOf = (result: unknown): string => {
  const { content, isError } = result as { content: { type: string; text: string }[]; isError?: boolean };
  expect([content[0]?.type, isError ?? false]).toEqual(['text', false]);
  return String(content[0]?.text);
};

async function overSdk1(): Promise<Agent> {
  const client = new Client({ name: 'agent', version: '1' });
  // the types of the SDK do not support exactOptionalPropertyTypes
  await client.connect(new StreamableHTTPClientTransport(url(), withKey()) as Parameters<Client['connect']>[0]);
  await client.listTools(); // from now on it checks results against their schemas
  return {
    call: async (name, sent) => textOf(await client.callTool({ name, arguments: sent })),
    close: () => client.close(),
  };
}

const overSdk2 = (options: object) => async (): Promise<Agent> => {
  const client = new two.Client({ name: 'agent', version: '1' }, options);
  await client.connect(new two.StreamableHTTPClientTransport(url(), withKey()));
  await client.listTools();
  return {
    call: async (name, sent) => textOf(await client.callTool({ name, arguments: sent })),
    close: () => client.close(),
  };
};

/** Calls the tools as the loop of the AI SDK does. */
async function overAiSdk(): Promise<Agent> {
  const client = await createMCPClient({ transport: { type: 'http', url: url().href, headers: { 'X-API-Key': key } } });
  const tools = await client.tools();
  return {
    call: async (name, sent) =>
      textOf(await tools[name]?.execute(sent, { toolCallId: 'call', messages: [], context: {} } as never)),
    close: () => client.close(),
  };
}

/** Follows the note of each page, as a model would: the tool that it names, with the code of the page. */
async function readByNotes(agent: Agent, sent: Record<string, unknown>): Promise<{ pages: string[]; rows: unknown[] }> {
  const pages = [await agent.call('execute_query', { queryName: largest, ...sent })];
  const rows: unknown[] = [];
  for (;;) {
    const { Data, QueryMoreCode, note = '' } = JSON.parse(pages.at(-1) ?? '') as Record<string, unknown>;
    rows.push(...(Data as unknown[]));
    const next = /Continue with queryMoreCode.* (\w+) takes the code/.exec(String(note));
    if (next === null) {
      expect(QueryMoreCode).toBeNull();
      return { pages, rows };
    }
    pages.push(await agent.call(String(next[1]), { queryMoreCode: QueryMoreCode }));
  }
}

describe.each([
  ['the official SDK 1.x', overSdk1],
  ['the official SDK 2.x', overSdk2({})],
  ['the official SDK 2.x without a handshake', overSdk2({ versionNegotiation: { mode: { pin: '2026-07-28' } } })],
  ['the AI SDK', overAiSdk],
])('%s', (_name, connect) => {
  test('reads all rows of a month by following the notes, in pages that fit a model', async () => {
    const agent = await connect();
    const { pages, rows } = await readByNotes(agent, { parameters: month });
    const exported = await service.as({ key }).call('POST', '/api/v1/Export/ExecuteQuery?format=json', {
      QueryName: largest,
      Parameters: month,
    });
    expect(pages.length).toBeGreaterThan(10);
    expect(rows).toEqual(exported.json);
    for (const text of pages) expect(countTokens(text)).toBeLessThanOrEqual(MOST_TOKENS);
    await agent.close();
  });
});

test('all rows of the largest query of the demo are read by following the notes', async () => {
  const agent = await overSdk1();
  const { rows } = await readByNotes(agent, { shape: 'table', columns: ['Order', 'Line'] });
  expect(rows.length).toBeGreaterThan(250_000);
  expect(new Set(rows.map((row) => String(row))).size).toBe(rows.length);
  await agent.close();
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 'none'])(
  'the largest query of the demo answers with at most 20,000 tokens over %s, as text and as structured content',
  async (version) => {
    const headers = { 'X-API-Key': key };
    const send = async (tool: string, sent: object) => {
      if (version === '2026-07-28') return statelessOf(service, headers).call(tool, sent);
      return mcpOf(service).call(tool, sent, { ...headers, ...(version === 'none' ? {} : { 'MCP-Protocol-Version': version }) });
    };
    for (const tool of ['execute_query', 'start_stream', 'execute_chart_query'])
      for (const shape of ['rows', 'table']) {
        const response = await send(tool, { queryName: largest, shape });
        const text = String(blocksOf(response)[0]?.text);
        expect(JSON.stringify(contentOf(response)).length).toBeLessThan(66_500);
        expect(countTokens(text)).toBeLessThanOrEqual(MOST_TOKENS);
      }
  },
);

test.each(['rows', 'table'])('every query of the demo answers with at most 23,000 tokens as %s', async (shape) => {
  const mcp = mcpOf(service, key);
  const { queries } = (await mcp.tool('list_queries', { limit: 200 })) as { queries: { queryName: string }[] };
  for (const { queryName } of queries) {
    const response = await mcp.call('execute_query', { queryName, shape });
    if (response.json.error === undefined) expect(countTokens(String(blocksOf(response)[0]?.text))).toBeLessThan(23_000);
  }
});
