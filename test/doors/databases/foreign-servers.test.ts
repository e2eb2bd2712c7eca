import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../../../src/connectors/engines.ts';
import { reportFigure } from '../../support/faults/figure.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

// A connection can name any host. The server there may be no database, and nothing that it sends may be shown.

const CANARY = 'canary-of-an-internal-service';
const servers = engines.flatMap(({ kind, connection }) => (connection === 'file' ? [] : { kind, ...connection }));
// HTTPS has another port
const kinds = servers.filter(({ tlsPort }) => tlsPort !== undefined).map(({ kind }) => kind);

interface Answer {
  readonly what: string;
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
}

const answers: readonly Answer[] = [
  { what: 'a page', status: 200, body: `<html>${CANARY}</html>` },
  { what: 'JSON', status: 200, body: JSON.stringify({ AccessKeyId: CANARY }) },
  { what: 'JSON with rows', status: 200, body: `{"meta": ["${CANARY}"], "data": [${CANARY}]}` },
  { what: 'JSON with an error', status: 200, body: JSON.stringify({ id: 'x', error: { message: CANARY } }) },
  { what: 'an error with a code', status: 200, body: `Error Code: 7 ${CANARY}` },
  { what: 'an empty body', status: 200, body: '' },
  { what: 'not found', status: 404, body: CANARY },
  { what: 'an error', status: 500, body: `Error Code: 7, ${CANARY}` },
  { what: 'a refusal', status: 403, body: CANARY },
  { what: 'a redirect', status: 302, body: CANARY, headers: { location: '/elsewhere' } },
];

let service: TestService;
let root: Caller;
let server: Server;
let port: number;
let answer: Answer | undefined;
const paths: string[] = [];
let attempts = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(answer?.status ?? 200, answer?.headers ?? {}).end(answer?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  service = await startTestService();
  root = service.as(admin);
});
afterAll(async () => {
  reportFigure(42, `${attempts} calls to foreign servers and refused addresses, none reached one or showed its response`);
  await service.close();
  server.close();
});

const connectionTo = (kind: string, host: string, at = port) => ({
  kind,
  connection: { host, port: at, user: 'reader', password: '', database: 'default' },
});

async function expectHidden(method: string, path: string, body?: unknown): Promise<string> {
  attempts++;
  const { text } = await root.call(method, path, body);
  expect(text).not.toContain(CANARY.slice(0, 9));
  return text;
}

describe.each(kinds)('a %s connection', (kind) => {
  let id: string;
  beforeAll(async () => {
    const body = { name: `Foreign ${kind}`, ...connectionTo(kind, '127.0.0.1') };
    id = (await expectStatus(root.call<{ id: string }>('POST', '/api/v1/databases', body), 201)).json.id;
  });

  test.each(answers)('shows nothing that a server sends: $what', async (each) => {
    answer = each;
    paths.length = 0;
    const unsaved = await expectHidden('POST', '/api/v1/databases/test', { name: 'x', ...connectionTo(kind, '127.0.0.1') });
    expect(JSON.parse(unsaved)).toMatchObject({ ok: false });
    await expectHidden('POST', `/api/v1/databases/${id}/test`);
    await expectHidden('GET', `/api/v1/databases/${id}/schema`);
    await expectHidden('GET', '/api/v1/databases');
    const query = { database: `Foreign ${kind}`, sql: 'select 1 as n', parameters: [] };
    await expectHidden('POST', '/api/v1/queries/preview', query);
    const name = `${kind} ${each.what}`;
    const draft = await expectStatus(root.call<{ id: string }>('POST', '/api/v1/queries', { name, ...query }), 201);
    await expectHidden('POST', `/api/v1/queries/${draft.json.id}/validate`);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths).not.toContain('/elsewhere');
  });
});

describe.each(servers)('a $kind connection', ({ kind }) => {
  test.each([
    '169.254.169.254',
    '169.254.0.1',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
  ])('does not lead to %s', async (host) => {
    attempts++;
    const body = { name: 'x', ...connectionTo(kind, host, 80) };
    const { json } = await expectStatus(root.call('POST', '/api/v1/databases/test', body), 200);
    expect(json).toMatchObject({ ok: false, message: expect.stringContaining('link-local') });
  });
});
