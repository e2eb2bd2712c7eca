import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type McpCaller, mcpOf } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  key = (await createKey(service.as(admin), { name: 'assistant' })).key;
  mcp = mcpOf(service, key);
});
afterAll(() => service.close());

interface Schema {
  readonly type?: unknown;
  readonly description?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}
interface Listed {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  readonly annotations: Record<string, unknown>;
}
const listed = async (headers: Record<string, string> = {}): Promise<Listed[]> =>
  (await mcp.rpc('tools/list', {}, headers)).json.result?.tools as Listed[]; // checked below

const names = [
  'get_user_profile',
  'list_queries',
  'list_databases',
  'get_query_detail',
  'get_query_parameters',
  'execute_query',
  'execute_query_next_page',
  'start_stream',
  'resume_stream',
  'export_query',
  'execute_chart_query',
];
const required: Readonly<Record<string, readonly string[]>> = {
  get_query_detail: ['queryId'],
  execute_query: ['queryName'],
  execute_query_next_page: ['queryMoreCode'],
  start_stream: ['queryName'],
  resume_stream: ['streamToken'],
  export_query: ['queryName', 'format'],
  execute_chart_query: ['queryName'],
};

describe('tools/list', () => {
  test('lists every tool, each with title, description and annotations', async () => {
    const tools = await listed();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { title, description, annotations } of tools) {
      expect(title).toBeTruthy();
      expect(description).toMatch(/\bnot (for|needed)\b/i); // including when not to use it
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    }
  });

  test('has input schemas within the subset that clients support', async () => {
    for (const { name, inputSchema } of await listed()) {
      expect(inputSchema.type).toBe('object');
      expect(inputSchema.required).toEqual(['apiKey', ...(required[name] ?? [])]);
      expect(JSON.stringify(inputSchema)).not.toMatch(/"(oneOf|anyOf|allOf|not|\$ref)"/);
      every(inputSchema, (schema, isRoot) => {
        expect(typeof schema.type).toBe('string');
        if (!isRoot) expect(schema.description).toBeTruthy();
      });
    }
  });

  test('has output schemas that are objects', async () => {
    for (const { outputSchema } of await listed()) expect(outputSchema.type).toBe('object');
    const tools = new Map((await listed()).map((tool) => [tool.name, tool.outputSchema.properties]));
    expect(tools.get('execute_query')?.QueryMoreCode?.type).toEqual(['string', 'null']);
    expect(tools.get('start_stream')?.streamToken?.type).toEqual(['string', 'null']);
  });

  test.each([{ 'X-API-Key': 'whatever' }, { Authorization: 'Bearer whatever' }, { Authorization: 'bearer x' }])(
    'omits apiKey when a header contains a key (%j)',
    async (headers) => {
      const tools = await listed(headers);
      expect(tools).toHaveLength(names.length);
      expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toContain('apiKey');
    },
  );

  test.each<Record<string, string>>([{}, { 'X-API-Key': '' }, { Authorization: 'Basic YTpi' }, { Cookie: 'sluice_session=x' }])(
    'requires apiKey without such a header (%j)',
    async (headers) => {
      for (const { inputSchema } of await listed(headers)) expect(inputSchema.properties).toHaveProperty('apiKey');
    },
  );

  test('refuses a cursor', async () => {
    expect((await mcp.rpc('tools/list', { cursor: null })).json.result).toBeDefined();
    for (const cursor of ['x', '', 5]) expect((await mcp.rpc('tools/list', { cursor })).json.error?.code).toBe(-32602);
  });

  test('is available to the user interface', async () => {
    const { json } = await service
      .as(admin)
      .call<{ enabled: boolean; url: string; tools: unknown[] }>('GET', '/api/v1/mcp/tools');
    expect([json.enabled, json.url]).toEqual([true, `${service.url}/mcp`]);
    expect(json.tools).toEqual(await listed());
  });
});

function every(schema: Schema, check: (schema: Schema, isRoot: boolean) => void, isRoot = true): void {
  check(schema, isRoot);
  for (const property of Object.values(schema.properties ?? {})) every(property, check, false);
  if (schema.items !== undefined) every(schema.items, check, false);
}
