import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agents, type Connect, overVersion, protocolVersions, readByNotes } from '../support/http/agents.ts';
import { createKey } from '../support/people/accounts.ts';
import { createWorkspace, type ServiceProcess, type Workspace } from '../support/services/process.ts';
import { admin } from '../support/services/service.ts';

// Reads all rows of the demo's largest query, which no model would do: 1,450 pages, 27 million tokens.

const largest = 'QD_Order_lines_Demo';
const ROWS = 269_239;
const MOST_TOKENS = 20_000;
const COUNTED = 20; // the tokens of one page in so many are counted, because counting takes longer than reading

let workspace: Workspace;
let service: ServiceProcess;
let key: string;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start({});
  ({ key } = await createKey(service.as(admin), { name: 'agents' }));
});
afterAll(() => workspace.remove());

async function readAll(name: string, connect: Connect, shape: string): Promise<void> {
  const startedAt = performance.now();
  const agent = await connect({ url: service.url, key });
  const read = new Set<string>();
  let [pages, most] = [0, 0];
  await readByNotes(agent, { queryName: largest, shape }, (text, rows) => {
    if (pages++ % COUNTED === 0) most = Math.max(most, countTokens(text));
    for (const row of rows)
      read.add(
        Object.values(row as object)
          .slice(0, 2)
          .join(' '),
      ); // its order and line
  });
  await agent.close();
  expect([read.size, most <= MOST_TOKENS]).toEqual([ROWS, true]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(`${name}: ${pages} pages as ${shape}, at most ${most} tokens, ${seconds} s\n`);
}

test.each(agents)('%s reads all rows by following the notes', { timeout: 180_000 }, (name, connect) =>
  readAll(name, connect, name === agents[0]?.[0] ? 'rows' : 'table'),
);

test.each(protocolVersions)('all rows are read over %s by following the notes', { timeout: 180_000 }, (version) =>
  readAll(version, overVersion(version), 'table'),
);
