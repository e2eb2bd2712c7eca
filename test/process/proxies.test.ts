import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programProblem } from '../support/debian-packages.ts';
import { mcpOf, rowsOf } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import { embedOf, publishChartQuery, view } from '../support/queries/embeds.ts';
import { countLines, startExport } from '../support/queries/exports.ts';
import { linkOf, pathOf } from '../support/queries/links.ts';
import { publish } from '../support/queries/publish.ts';
import { type Proxy, readShippedHaproxy, readShippedNginx, startHaproxy, startNginx } from '../support/services/proxies.ts';
import {
  type ApiResponse,
  type Caller,
  type ResultPage,
  type TestService,
  admin,
  callerOf,
  startTestService,
} from '../support/services/service.ts';

// Bodies that break off are tested in test/faults/cut-bodies.test.ts.

const ROWS = 50_000;

let service: TestService;
let root: Caller;
let key: string;
beforeAll(async () => {
  service = await startTestService({ SLUICE_ALLOWED_HOSTS: '127.0.0.1', SLUICE_TRUSTED_PROXIES: 'loopback' });
  root = service.as(admin);
  ({ key } = await createKey(root, { name: 'proxied' }));
  await publish(root, { name: 'Numbers', sql: `select i as n, md5(i::varchar) as t from range(${ROWS}) t(i) order by i` });
  await publish(root, { name: 'Many', sql: "select range as n, repeat('x', 20) as text from range(2_000_000)" });
  await publishChartQuery(root, 'Chart');
});
afterAll(() => service.close());

const problem = await programProblem('nginx', 'haproxy');

describe.skipIf(problem !== null).each([
  ['deploy/nginx.conf', (url: string) => startNginx(readShippedNginx(url))],
  ['deploy/haproxy.cfg', (url: string) => startHaproxy(readShippedHaproxy(url))],
] as const)(`behind %s ${problem ?? ''}`.trim(), (_file, start) => {
  let proxy: Proxy;
  let caller: Caller;
  beforeAll(async () => {
    proxy = await start(service.url);
    caller = callerOf(() => proxy.url, { key });
  });
  afterAll(() => proxy?.remove());

  test('pages are complete', async () => {
    const seen: unknown[] = [];
    for (let code: string | null = ''; code !== null;) {
      const { json }: ApiResponse<ResultPage> = await caller.run('QD_Numbers_Demo', [], {
        RowSize: '1000',
        QueryMoreCode: code,
      });
      seen.push(...json.Data.map(({ n }) => n));
      code = json.QueryMoreCode;
    }
    expect(seen).toEqual(Array.from({ length: ROWS }, (_, index) => index));
  });

  test.each(['identity', 'gzip', 'zstd'])('exports and downloads are complete: %s', async (coding) => {
    const body = { QueryName: 'QD_Numbers_Demo', Parameters: [] };
    const response = await startExport(proxy, { key }, 'csv', body, { headers: { 'Accept-Encoding': coding } });
    expect(response.headers.get('content-encoding') ?? 'identity').toBe(coding);
    expect((await countLines(response.body)).lines).toBe(ROWS + 1);
    const { json } = await caller.call<{ downloadUrl: string }>('POST', '/api/v1/Export/CreateLink?format=csv', body);
    const { pathname, search } = new URL(json.downloadUrl);
    expect((await countLines((await fetch(proxy.url + pathname + search)).body)).lines).toBe(ROWS + 1);
  });

  test('rows by GET are complete, and their headers are those of the service', async () => {
    const link = pathOf(await linkOf(root, { queryName: 'QD_Numbers_Demo' }));
    for (const [path, headers] of [
      ['/data/QD_Numbers_Demo.csv', { 'X-API-Key': key }],
      [link, {}],
    ] as const) {
      const call = (more: Record<string, string> = {}, method = 'GET') =>
        fetch(proxy.url + path, { method, headers: { ...headers, ...more } });
      for (const coding of ['identity', 'gzip', 'zstd']) {
        const response = await call({ 'Accept-Encoding': coding });
        expect(response.headers.get('content-encoding') ?? 'identity').toBe(coding);
        expect((await countLines(response.body)).lines).toBe(ROWS + 1);
        const unchanged = await call({ 'Accept-Encoding': coding, 'If-None-Match': response.headers.get('etag') ?? '' });
        expect(unchanged.status).toBe(304);
      }
      const head = await call({}, 'HEAD');
      const part = await call({ Range: 'bytes=0-2', 'If-Match': head.headers.get('etag') ?? '' });
      const size = head.headers.get('content-length');
      expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, 'n,t', `bytes 0-2/${size}`]);
      expect(part.headers.get('cache-control')).toBe('private, max-age=0');
      expect((await call({ 'If-Match': '"other"' })).status).toBe(412);
    }
    const anonymous = await fetch(`${proxy.url}/data/QD_Numbers_Demo.csv`);
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Sluice", charset="UTF-8"']);
  });

  test('MCP responds with JSON', async () => {
    const rows = rowsOf(await mcpOf(proxy, key).tool('execute_query', { queryName: 'QD_Numbers_Demo', rowSize: 10 }));
    expect(rows).toHaveLength(10);
  });

  test('MCP sends events as they happen', async () => {
    const response = await fetch(`${proxy.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'X-API-Key': key },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'export_query', arguments: { queryName: 'QD_Many_Demo', format: 'json' }, _meta: { progressToken: 1 } },
      }),
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const pieces: string[] = [];
    for await (const piece of response.body ?? []) pieces.push(Buffer.from(piece).toString());
    // not in one piece with the result
    expect(pieces.findIndex((piece) => piece.includes('notifications/progress'))).toBeLessThan(pieces.length - 1);
    expect(pieces.join('')).toMatch(/notifications\/progress[^]*"rowCount":2000000/);
  });

  test('embeds are shown as a page and as a picture', async () => {
    const { Token } = await embedOf(caller, { queryName: 'QD_Chart_Demo' });
    const page = await view(
      callerOf(() => proxy.url),
      Token,
    );
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<svg')]);
    const picture = await fetch(`${proxy.url}/api/v1/EmbeddedChart/RenderImage?format=png&token=${Token}`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  test('errors are those of the service', async () => {
    const { status, json } = await caller.run('QD_Numbers_Demo', [{ ParameterName: '@A', Value: 'x'.repeat(300 << 10) }]);
    expect([status, json]).toEqual([413, expect.objectContaining({ code: 'payload_too_large' })]);
    expect((await caller.run('QD_None')).status).toBe(403);
  });
});
