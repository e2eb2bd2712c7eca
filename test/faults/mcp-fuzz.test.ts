import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../support/faults/figure.ts';
import { type HostileMessage, createHostileMessage, type KnownTools } from '../support/faults/hostile-rpc.ts';
import { createRandom } from '../support/faults/random.ts';
import { mcpOf } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { admin } from '../support/services/service.ts';

// the long form: TEST_FUZZ=10000; another run of the same messages: TEST_SEED=<as printed>
const MESSAGES = Math.max(2_000, Number(process.env.TEST_FUZZ ?? 0));
const SEED = Number(process.env.TEST_SEED ?? 20_261_116);
const CONCURRENCY = 4;
const SLOWEST_MS = 5_000;

const LEAKS = /\bat \S+ \(|node_modules|\.ts:\d+|metadata\.sqlite|SQLITE_|insert into|Error: |unauthorized/i;

let workspace: Workspace;
let service: ServiceProcess;
let known: KnownTools;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start({ SLUICE_LOG_LEVEL: 'warn' });
  const root = service.as(admin);
  const { key } = await createKey(root);
  const { id, queryName } = await publish(root, {
    name: 'Prey',
    sql: 'select range as n, @T as t from range(50)',
    parameters: [{ name: '@T', dataType: 'nvarchar(40)', required: false }],
  });
  const mcp = mcpOf(service, key);
  const page = await mcp.tool('execute_query', { queryName, rowSize: 10 });
  const chunk = await mcp.tool('start_stream', { queryName, chunkSize: 10 });
  const { json } = await mcp.rpc('tools/list');
  const tools = json.result?.tools as { name: string; inputSchema: { properties: object } }[]; // other tests check its shape
  const texts = (...values: readonly unknown[]): string[] => values.map((each) => JSON.stringify(each));
  known = {
    tools: tools.map(({ name, inputSchema }) => ({
      name,
      arguments: Object.keys(inputSchema.properties).filter((each) => each !== 'apiKey'),
    })),
    keys: [key, key, key, key, 'slc_wrong', ''],
    words: {
      queryId: texts(id, queryName),
      queryName: texts(queryName),
      queryMoreCode: texts(page.QueryMoreCode, chunk.streamToken),
      streamToken: texts(chunk.streamToken, page.QueryMoreCode),
      parameters: texts([], [{ ParameterName: '@T', Value: 'x' }], { '@T': 'y' }),
      rowSize: texts(1, 7, 1000, '5'),
      chunkSize: texts(1, 7, 1000),
      format: texts('csv', 'json', 'xlsx'),
      fileName: texts('a', '../../a', 'a\u0000b', 'CON'),
      search: texts('prey', '%', "'"),
      database: texts('Demo'),
      limit: texts(1, 200),
    },
  };
});
afterAll(() => workspace.remove());

interface Outcome {
  readonly message: string;
  readonly status: number;
  readonly ms: number;
  readonly body: string;
}

test(`${MESSAGES} hostile messages cause no 500, crash, delay or leaked detail`, { timeout: MESSAGES * 60 }, async () => {
  process.stdout.write(`seed ${SEED}\n`);
  const random = createRandom(SEED);
  const messages = Array.from({ length: MESSAGES }, () => createHostileMessage(random, known));
  const outcomes: Outcome[] = [];
  const agent = new Agent({ keepAlive: true });
  const client = async (): Promise<void> => {
    for (let next = messages.pop(); next !== undefined; next = messages.pop()) outcomes.push(await send(next, agent));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  agent.destroy();

  const kinds = Map.groupBy(outcomes, ({ status, body }) => `${status} ${codeOf(body)}`);
  const counts = [...kinds].map(([kind, each]) => `${kind}: ${each.length}`).sort();
  const slowest = Math.max(...outcomes.map(({ ms }) => ms));
  reportFigure(8, `${MESSAGES} hostile messages: ${counts.join(', ')}; the slowest ${Math.round(slowest)} ms`);
  expect(
    outcomes.filter(({ status, body }) => status >= 500 || status === 0 || [-32603, 50001, 50301].includes(codeOf(body))),
  ).toEqual([]);
  expect(outcomes.filter(({ status, body }) => status !== 202 && !isAnswer(body))).toEqual([]);
  expect(outcomes.filter(({ ms }) => ms > SLOWEST_MS)).toEqual([]);
  expect(outcomes.filter(({ body }) => LEAKS.test(body))).toEqual([]);
  expect(kinds.get('200 0')?.length, 'calls that went through').toBeGreaterThan(MESSAGES / 20);

  expect((await service.as(admin).call('GET', '/api/v1/account')).status).toBe(200);
  expect(service.stderr()).not.toMatch(/"level":[56]0/);
  expect(service.stderr()).not.toContain(known.keys[0]?.slice(13));
});

const codeOf = (body: string): number => Number(/"error":\{"code":(-?\d+)/.exec(body)?.[1] ?? 0);
const isAnswer = (body: string): boolean => /^\{"jsonrpc":"2\.0","(result|error)":/.test(body);

async function send({ headers, body }: HostileMessage, agent: Agent): Promise<Outcome> {
  const startedAt = performance.now();
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve) => {
    const lost = (error: Error) => resolve({ status: 0, text: error.message });
    const sent = request(`${service.url}/mcp`, {
      method: 'POST',
      agent,
      headers: { ...headers, 'Content-Length': String(body.length) },
    });
    sent.setTimeout(10_000, () => sent.destroy(new Error('no answer')));
    sent.on('error', lost);
    sent.on('response', (response: IncomingMessage) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response
        .on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }))
        .on('error', lost);
    });
    sent.end(body);
  });
  const message = `${JSON.stringify(headers).slice(0, 300)} ${body.toString('latin1').slice(0, 600)}`;
  return { message, status, ms: performance.now() - startedAt, body: text.slice(0, 2_000) };
}
