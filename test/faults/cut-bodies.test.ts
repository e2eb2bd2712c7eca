import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programProblem } from '../support/debian-packages.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { jsonBody, startCurl, type RunningTransfer, type Transfer } from '../support/http/curl.ts';
import { freePort } from '../support/http/free-port.ts';
import { createKey } from '../support/people/accounts.ts';
import { exportFormats } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type ServiceProcess, type Workspace } from '../support/services/process.ts';
import {
  type Proxy,
  readShippedHaproxy,
  readShippedNginx,
  startHaproxy,
  startNginx,
  stockHaproxy,
  stockNginx,
} from '../support/services/proxies.ts';
import { admin } from '../support/services/service.ts';

// No client accepts a body as complete that the service could not finish, not even behind a proxy.
// the long form: TEST_CUT_ROWS=1000000
const ROWS = Number(process.env.TEST_CUT_ROWS ?? 30_000);
const isLong = process.env.TEST_CUT_ROWS !== undefined;
const CONCURRENCY = 4;

const failing = (at: number, otherwise: string) => `cast(case when i = ${at} then 'x' || i else ${otherwise} end as bigint) as v`;
const queries = {
  Breaks: `select i as n, md5(i::varchar) as t, ${failing(Math.floor(ROWS * 0.876), 'i::varchar')} from range(${ROWS}) r(i)`,
  // Parquet writes groups of 122,880 rows
  Breaks_late: `select ${failing(250_000, 'i::varchar')} from range(260000) r(i)`,
  Whole: `select i as n, md5(i::varchar) as t from range(${ROWS}) r(i)`,
  Endless: 'select i as n, md5(i::varchar) as t from range(10000000000) r(i)',
};

interface Body {
  readonly format: (typeof exportFormats)[number];
  readonly coding: string;
}

/** Exports in every format, compressed where the service compresses. */
const codings = isLong ? ['gzip', 'br', 'zstd'] : ['gzip'];
const bodies: readonly Body[] = [
  ...exportFormats.map((format) => ({ format, coding: 'identity' })),
  ...(['csv', 'json', 'ndjson'] as const).flatMap((format) => codings.map((coding) => ({ format, coding }))),
];

/** How a client reaches the service. */
interface Route {
  readonly name: string;
  readonly url: string;
  readonly version: '--http1.0' | '--http1.1';
  readonly isChunked: boolean; // also between service and proxy, so that every end of the service is detected
}

let workspace: Workspace;
let port: number; // the same for every start, so that the proxies reach each
let service: ServiceProcess;
let key: string;
let proxies: readonly Proxy[] = [];
let routes: readonly Route[];

const start = (more: Record<string, string> = {}): Promise<ServiceProcess> =>
  workspace.start({ SLUICE_PORT: String(port), SLUICE_DRAIN_SECONDS: '1', ...more });

beforeAll(async () => {
  workspace = await createWorkspace();
  port = await freePort();
  service = await start();
  const author = service.as(admin);
  for (const [name, sql] of Object.entries(queries)) await publish(author, { name, sql, timeoutSeconds: 120 });
  ({ key } = await createKey(author, { name: 'cut' }));
  const { url } = service;
  const started = await Promise.all([
    startNginx(stockNginx(url)),
    startHaproxy(stockHaproxy(url)),
    startNginx(readShippedNginx(url)),
    startHaproxy(readShippedHaproxy(url)),
  ]);
  const [nginx, haproxy, ourNginx, ourHaproxy] = started;
  proxies = started;
  routes = [
    { name: 'HTTP/1.0', url, version: '--http1.0', isChunked: false },
    { name: 'HTTP/1.1', url, version: '--http1.1', isChunked: true },
    { name: 'nginx with its defaults', url: nginx.url, version: '--http1.1', isChunked: false },
    { name: 'HAProxy with its defaults', url: haproxy.url, version: '--http1.1', isChunked: true },
    { name: 'deploy/nginx.conf', url: ourNginx.url, version: '--http1.1', isChunked: true },
    { name: 'deploy/haproxy.cfg', url: ourHaproxy.url, version: '--http1.1', isChunked: true },
  ];
}, 120_000);
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.remove()));
  await workspace.remove();
});

const exportOf = (
  { url, version }: Pick<Route, 'url' | 'version'>,
  queryName: keyof typeof queries,
  { format, coding }: Body,
  ...more: readonly string[]
): RunningTransfer =>
  startCurl([
    version,
    ...more,
    ...['--header', `Accept-Encoding: ${coding}`],
    ...jsonBody(key, { QueryName: `QD_${queryName}_Demo`, Parameters: [] }),
    `${url}/api/v1/Export/ExecuteQuery?format=${format}`,
  ]);

const dataOf = (
  { url, version }: Pick<Route, 'url' | 'version'>,
  queryName: keyof typeof queries,
  { format, coding }: Body,
): RunningTransfer =>
  startCurl([
    version,
    ...['--header', `Accept-Encoding: ${coding}`, '--header', `X-API-Key: ${key}`],
    `${url}/data/QD_${queryName}_Demo.${format}`,
  ]);

const nameOf = (route: Route, { format, coding }: Body): string => `${route.name}: ${format}, ${coding}`;
const pairs = (): { route: Route; body: Body }[] => routes.flatMap((route) => bodies.map((body) => ({ route, body })));
const csv: Body = { format: 'csv', coding: 'identity' };

const problem = await programProblem('curl', 'nginx', 'haproxy');

describe.skipIf(problem !== null)(`a body that cannot be finished ${problem ?? ''}`.trim(), () => {
  test.each([
    { what: 'an export', begin: exportOf },
    { what: 'a read by GET', begin: dataOf },
  ])('$what that fails after its first bytes', { timeout: 1_200_000 }, async ({ what, begin }) => {
    const left = pairs();
    const count = left.length;
    const next = async (): Promise<void> => {
      for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
        const { route, body } = pair;
        const transfer = await begin(route, body.format === 'parquet' ? 'Breaks_late' : 'Breaks', body).ended;
        expectCut(nameOf(route, body), transfer);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, next));
    reportFigure(33, `${what}: ${count} failed, none taken for complete`);
  });

  test('a complete export', async () => {
    const sizes = new Set<number>();
    for (const route of routes) {
      const { exit, status, bytes } = await exportOf(route, 'Whole', csv).ended;
      expect([route.name, exit, status]).toEqual([route.name, 0, 200]);
      sizes.add(bytes);
    }
    expect(sizes.size).toBe(1);
  });

  test('the configurations in deploy/ refuse HTTP/1.0 clients, to which proxies do not report a broken body', async () => {
    for (const { url, name } of routes.filter((route) => route.name.startsWith('deploy/'))) {
      const version = '--http1.0';
      const { exit, status } = await exportOf({ url, version }, 'Whole', csv).ended;
      expect([name, exit, status]).toEqual([name, 0, 505]);
      expect(await startCurl([version, `${url}/livez`]).ended).toMatchObject({ exit: 0, status: 200 });
    }
  });

  const ends = [
    { how: 'stopped by SIGTERM', signal: 'SIGTERM', settings: {}, only: () => true },
    { how: 'stopped by SIGTERM, with workers', signal: 'SIGTERM', settings: { SLUICE_WORKERS: '2' }, only: () => true },
    { how: 'killed', signal: 'SIGKILL', settings: {}, only: ({ isChunked }: Route) => isChunked },
  ] as const;

  test.each(ends)('an export of a service that is $how', { timeout: 1_200_000 }, async ({ how, signal, settings, only }) => {
    const reached = pairs().filter(({ route }) => only(route));
    const chosen = isLong ? reached : reached.filter(({ body }) => body.coding === 'identity' && /csv|xlsx/.test(body.format));
    const count = chosen.length;
    while (chosen.length > 0) {
      await service.kill();
      service = await start(settings);
      for (const { url, name } of routes) await expect.poll(() => statusOf(url), { message: name }).toBe(200); // the proxy has checked the service again
      // as many as a user may run; nginx would write all that it can read to its disk
      const some = chosen.splice(0, 12);
      const running = some.map(({ route, body }) => exportOf(route, 'Endless', body, '--limit-rate', '1M'));
      await Promise.all(running.map(({ firstBytes }) => firstBytes));
      service.signal(signal);
      for (const [index, { route, body }] of some.entries()) {
        const transfer = await running[index]?.ended;
        if (transfer !== undefined) expectCut(nameOf(route, body), transfer);
      }
      await service.ended;
    }
    reportFigure(33, `${count} exports of a service that is ${how}, none taken for complete`);
  });
});

const statusOf = async (url: string): Promise<number> => (await startCurl([`${url}/livez`]).ended).status;

function expectCut(name: string, { exit, status, bytes }: Transfer): void {
  expect(status, name).toBe(200);
  expect(bytes, name).toBeGreaterThan(0);
  expect(exit, `${name}: curl takes ${bytes} bytes for a complete body`).not.toBe(0);
  expect(exit, `${name}: curl gave up`).not.toBe(TOO_LATE);
}
const TOO_LATE = 28; // a transfer that is never ended is no better
