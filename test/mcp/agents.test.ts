import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agents, overVersion, protocolVersions, readByNotes } from '../support/http/agents.ts';
import { blocksOf, mcpOf } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

// All rows of the largest query are read in test/process/agents.test.ts.

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  ({ key } = await createKey(service.as(admin), { name: 'agents' }));
});
afterAll(() => service.close());

const gateway = () => ({ url: service.url, key });
const largest = 'QD_Order_lines_Demo'; // 269,239 rows
const MOST_TOKENS = 20_000;
const month = { '@From': '2024-03-01', '@To': '2024-03-31' };

test.each(agents)('%s reads all rows of a month by following the notes, in pages that fit a model', async (_name, connect) => {
  const agent = await connect(gateway());
  const exported = await service.as({ key }).call('POST', '/api/v1/Export/ExecuteQuery?format=json', {
    QueryName: largest,
    Parameters: month,
  });
  const read: unknown[] = [];
  let pages = 0;
  await readByNotes(agent, { queryName: largest, parameters: month }, (text, rows) => {
    expect(countTokens(text)).toBeLessThanOrEqual(MOST_TOKENS);
    read.push(...rows);
    pages++;
  });
  expect(pages).toBeGreaterThan(10);
  expect(read).toEqual(exported.json);
  await agent.close();
});

test.each(protocolVersions)(
  'the largest query of the demo answers with at most 20,000 tokens over %s, as text and as structured content',
  async (version) => {
    const agent = await overVersion(version)(gateway());
    for (const tool of ['execute_query', 'start_stream', 'execute_chart_query'])
      for (const shape of ['rows', 'table']) {
        const text = await agent.call(tool, { queryName: largest, shape });
        expect(text.length).toBeLessThan(66_500);
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
