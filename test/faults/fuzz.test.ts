import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { reportFigure } from '../support/faults/figure.ts';
import { type FuzzedRoute, type HostileRequest, createHostileRequest, type Known } from '../support/faults/hostile.ts';
import { createRandom } from '../support/faults/random.ts';
import { readOpenApi, resolveSchema } from '../support/http/openapi.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { admin, expectStatus } from '../support/services/service.ts';

// the long form: TEST_FUZZ=10000; another run of the same requests: TEST_SEED=<as printed>
const REQUESTS = Number(process.env.TEST_FUZZ ?? 1_000);
const SEED = Number(process.env.TEST_SEED ?? 20_261_115);
const CONCURRENCY = 4;
const SLOWEST_MS = 5_000; // on a busy machine

const LEAKS = /\bat \S+ \(|node_modules|\.ts:\d+|\/data\/|metadata\.sqlite|SQLITE_|sqlite_|insert into|select .+ from "|Error: /i;

let workspace: Workspace;
let service: ServiceProcess;
let known: Known;
beforeAll(async () => {
  workspace = await createWorkspace();
  await copyFile(inject('demoFile'), join(workspace.files, 'prey.duckdb'));
  service = await workspace.start({ SLUICE_LOG_LEVEL: 'warn' });
  const caller = service.as(admin);
  const { json } = await caller.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'fuzz' });
  const basic = `Basic ${Buffer.from(`admin:${admin.password}`).toString('base64')}`;
  const good = [{ 'X-API-Key': json.key }, { Authorization: basic }];
  const bad = [{}, { 'X-API-Key': 'slc_\u00ff' }, { Authorization: 'Basic !!!' }, { Authorization: 'Bearer x' }];
  const query = await publish(caller, { name: 'Prey', sql: 'select 1 as n' });
  const ids = [query.id];
  for (const [path, body] of Object.entries(prey)) {
    ids.push((await expectStatus(caller.call<{ id: string }>('POST', path, body), 201)).json.id);
  }
  known = { credentials: [...good, ...good, ...good, ...bad], ids };
});
afterAll(() => workspace.remove());

const prey = {
  '/api/v1/roles': { name: 'Prey', permissions: [] },
  '/api/v1/users': {
    username: 'prey',
    fullName: '',
    email: '',
    password: 'long enough to be taken',
    roles: [],
    databases: [],
    disabled: false,
  },
  '/api/v1/databases': { name: 'Prey', kind: 'duckdb', connection: { file: 'prey.duckdb' } },
};

interface Outcome {
  readonly request: string;
  readonly status: number;
  readonly ms: number;
  readonly body: string;
}

test(`${REQUESTS} hostile requests cause no 500, crash, delay or leaked detail`, { timeout: REQUESTS * 60 }, async () => {
  process.stdout.write(`seed ${SEED}\n`);
  const random = createRandom(SEED);
  const routes = await routesOf(service.url);
  expect(routes.length).toBeGreaterThan(30);
  const requests = Array.from({ length: REQUESTS }, () => createHostileRequest(random, random.pick(routes), known));

  const outcomes: Outcome[] = [];
  const agent = new Agent({ keepAlive: true });
  const client = async (): Promise<void> => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) outcomes.push(await send(next, agent));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  agent.destroy();

  const statuses = Map.groupBy(outcomes, (each) => each.status);
  const counts = [...statuses].map(([status, each]) => `${status}: ${each.length}`).sort();
  const slowest = Math.max(...outcomes.map((each) => each.ms));
  reportFigure(8, `${REQUESTS} hostile requests: ${counts.join(', ')}; the slowest ${Math.round(slowest)} ms`);
  expect(outcomes.filter((each) => each.status >= 500 || each.status === 0)).toEqual([]);
  expect(outcomes.filter((each) => each.ms > SLOWEST_MS)).toEqual([]);
  expect(outcomes.filter((each) => LEAKS.test(each.body))).toEqual([]);
  await expectAlive();
});

const broken: readonly (string | Buffer)[] = [
  'GET / HTTP/9.9\r\n\r\n',
  'GET /livez HTTP/1.1\r\n\r\n',
  'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n',
  'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n',
  'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n',
  'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nExpect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}',
  'GET /livez\n\n',
  'GET /livez HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
  `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
  `GET /${'z'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'GET http://evil.example/livez HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET //evil.example/%2e%2e HTTP/1.1\r\nHost: a\r\n\r\n',
  Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 89 + 7) % 256)),
  'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100),
];

test('refuses or drops malformed HTTP without a crash or a 500', async () => {
  for (const bytes of broken) {
    const text = await sendRaw(bytes);
    const shown = bytes.toString('latin1').slice(0, 80);
    expect(text.match(/^HTTP\/1\.1 5\d\d/gm), shown).toBeNull();
    expect(LEAKS.test(text), `${shown} → ${text.slice(0, 300)}`).toBe(false);
  }
  await expectAlive();
});

async function expectAlive(): Promise<void> {
  expect((await service.as(admin).call('GET', '/api/v1/account')).status).toBe(200);
  expect(
    service
      .stderr()
      .split('\n')
      .filter((line) => !line.startsWith('{') && line !== ''),
  ).toEqual([]);
  expect(service.stderr()).not.toMatch(/"level":[56]0/);
}

async function routesOf(url: string): Promise<FuzzedRoute[]> {
  const document = await readOpenApi(url);
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody, parameters = [] }]) => ({
      method: method.toUpperCase(),
      path,
      fields: Object.values(requestBody?.content ?? {}).flatMap(({ schema = {} }) =>
        Object.keys(resolveSchema(schema, document).properties ?? {}),
      ),
      queries: parameters.filter((each) => each.in === 'query').map((each) => each.name),
    })),
  );
}

async function send({ method, path, headers, body }: HostileRequest, agent: Agent): Promise<Outcome> {
  const startedAt = performance.now();
  const label = `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${body?.toString('latin1').slice(0, 300) ?? ''}`;
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve) => {
    const lost = (error: Error) => resolve({ status: 0, text: error.message });
    const sent = request(service.url + path, {
      method,
      agent,
      headers: { ...headers, 'Content-Length': String(body?.length ?? 0) },
    });
    sent.setTimeout(10_000, () => sent.destroy(new Error('no answer')));
    sent.on('error', lost);
    sent.on('response', (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', lost);
    });
    sent.end(body);
  });
  return { request: label, status, ms: performance.now() - startedAt, body: text.slice(0, 2_000) };
}

async function sendRaw(bytes: string | Buffer): Promise<string> {
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  socket.setTimeout(300, () => socket.destroy());
  await once(socket, 'close');
  return text;
}
