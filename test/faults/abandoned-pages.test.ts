import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drainBounds } from '../../src/results/snapshot/drain-scheduler.ts';
import { createDatabase, execute, postgresProblem } from '../support/databases/postgres.ts';
import { addPostgres } from '../support/databases/restartable-postgres.ts';
import { percentile, reportFigure } from '../support/faults/figure.ts';
import { mebibytes } from '../support/faults/resident-memory.ts';
import { createKey, createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { admin, type Caller, type ResultPage } from '../support/services/service.ts';

// the long form: TEST_ABANDONED=40
const long = process.env.TEST_ABANDONED !== undefined;
const CALLERS = Number(process.env.TEST_ABANDONED ?? 12);
const ROWS = long ? 1_000_000 : 200_000;
const PAGE = 1000;
const LARGE_PAGE = 50_000;
const EVERY_MS = long ? 1_000 : 300;
const PLACES = 16;
const IDLE_CALLS = long ? 300 : 20;

describe.skipIf(postgresProblem() !== null)('first pages whose next page is never requested', () => {
  let workspace: Workspace;
  let service: ServiceProcess;
  let url: string;
  let large: string;
  let small: string; // on the same database
  let elsewhere: string; // on another database
  let reader: Caller;
  let other: Caller;
  beforeAll(async () => {
    workspace = await createWorkspace();
    service = await workspace.start({ SLUICE_ROWS_MAX: String(LARGE_PAGE) });
    const author = service.as(admin);
    url = await createDatabase();
    await execute(
      url,
      `create table wide as select i as id, md5(i::text) as a, md5((i + 1)::text) as b, i % 97 as c from generate_series(1, ${ROWS}) i`,
    );
    await execute(url, 'vacuum (freeze, analyze) wide'); // otherwise the first scans of the table write it once more
    await addPostgres(author, 'Far', url);
    await addPostgres(author, 'Near', await createDatabase());
    large = (await publish(author, { name: 'Wide', sql: 'select * from wide', database: 'Far' })).queryName;
    small = (await publish(author, { name: 'Small', sql: 'select 42 as n', database: 'Far' })).queryName;
    elsewhere = (await publish(author, { name: 'Elsewhere', sql: 'select 42 as n', database: 'Near' })).queryName;
    const keyOf = async (name: string) =>
      service.as({ key: (await createKey((await createQueryUser(service, name)).caller, { name })).key });
    reader = await keyOf('reader');
    other = await keyOf('other');
  }, 120_000);
  afterAll(() => workspace?.remove());

  const firstPage = () => reader.run(large, [], { RowSize: String(PAGE) });

  async function timed(call: () => Promise<{ status: number }>): Promise<{ status: number; ms: number }> {
    const startedAt = performance.now();
    const { status } = await call();
    return { status, ms: performance.now() - startedAt };
  }

  /** Calls of another user, one after the other with a pause. */
  async function smallCalls(query: string, isOver: () => boolean): Promise<{ refused: number; p99: number; count: number }> {
    const calls: { status: number; ms: number }[] = [];
    for (; !isOver(); await sleep(10)) calls.push(await timed(() => other.run(query)));
    const refused = calls.filter(({ status }) => status !== 200).length;
    return {
      refused,
      p99: percentile(
        calls.map(({ ms }) => ms),
        0.99,
      ),
      count: calls.length,
    };
  }

  /** How long others wait while a driver without the service abandons as many results after the same number of bytes. */
  async function besideBareDriver(): Promise<{ p99: number }> {
    let over = false;
    const beside = smallCalls(elsewhere, () => over);
    for (let n = 0; n < CALLERS; n++) {
      const client = new Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      const { stream } = client.connection;
      stream.removeAllListeners('data');
      const started = Promise.withResolvers<void>();
      let bytes = 0;
      stream.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes < drainBounds.promptBytes) return;
        stream.pause();
        started.resolve();
      });
      client.connection.query('select * from wide');
      await started.promise;
      setTimeout(() => stream.destroy(), 200);
    }
    over = true;
    return beside;
  }

  test(`${CALLERS} of them, one after the other`, { timeout: 300_000 }, async () => {
    let left = IDLE_CALLS;
    await Promise.all([other.run(small), other.run(elsewhere)]);
    const idle = await smallCalls(elsewhere, () => left-- === 0);
    const bare = long ? await besideBareDriver() : { p99: 0 };

    let over = false;
    let disk = 0;
    let cursors = 0;
    const watchDisk = async () => {
      for (; !over; await sleep(20)) disk = Math.max(disk, await sizeOf(join(workspace.data, 'snapshots')));
    };
    const watchCursors = async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      for (; !over; await sleep(100)) {
        const active = await client.query(
          `select from pg_stat_activity where state = 'active' and query like '%from wide%' and pid <> pg_backend_pid()`,
        );
        cursors = Math.max(cursors, active.rowCount ?? 0);
      }
      await client.end();
    };
    const watching = [watchDisk(), watchCursors()];
    const beside = [smallCalls(elsewhere, () => over), smallCalls(small, () => over)];
    const startedAt = performance.now();
    const calls: { status: number; ms: number }[] = [];
    while (calls.length < CALLERS) calls.push(await timed(firstPage));
    const seconds = (performance.now() - startedAt) / 1000;
    await sleep(long ? 3_000 : 500); // work in the background counts, too
    over = true;
    await Promise.all(watching);
    const [others, same] = await Promise.all(beside);
    if (others === undefined || same === undefined) throw new Error('no calls');

    const [first] = calls;
    const times = calls.map(({ ms }) => ms);
    const slowest = Math.max(...times);
    reportFigure(
      31,
      `${CALLERS} abandoned first pages of ${ROWS.toLocaleString('en')} rows in ${seconds.toFixed(1)} s: first ${first?.ms.toFixed(0)} ms, ` +
        `median ${percentile(times, 0.5).toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms, ${calls.filter(({ status }) => status !== 200).length} refused; at most ${mebibytes(disk)} on disk ` +
        `and ${cursors} cursors; others' p99 ${idle.p99.toFixed(1)} ms idle, ${bare.p99.toFixed(1)} ms beside a bare driver that does the same, ${others.p99.toFixed(1)} ms beside (${others.count} calls), ` +
        `${same.p99.toFixed(1)} ms on the same database (${same.count} calls, ${same.refused} refused)`,
    );
    expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
    expect([others.refused, same.refused]).toEqual([0, 0]);
    expect(cursors).toBeLessThanOrEqual(PLACES);
    expect(disk).toBeLessThan(1e9);
    if (!long) return;
    expect(slowest).toBeLessThan(3 * (first?.ms ?? 0));
    // the database and this client share the cores with the service, so a bare driver shows what the machine allows
    expect(others.p99).toBeLessThan(Math.max(3 * idle.p99, 2 * bare.p99));
  });

  test('do not delay a reader who requests a page every second', { timeout: 300_000 }, async () => {
    let over = false;
    const statuses: number[] = [];
    const abandoning = (async () => {
      for (; !over; await sleep(100)) statuses.push((await firstPage()).status);
    })();
    const seen = new Set<unknown>(); // a set, because a scan of a table may begin anywhere
    let rows = 0;
    let code: string | null = null;
    do {
      const page: { status: number; json: ResultPage } = await other.run(large, [], {
        RowSize: String(LARGE_PAGE),
        ...(code === null ? {} : { QueryMoreCode: code }),
      });
      expect(page.status).toBe(200);
      for (const { id } of page.json.Data) seen.add(id);
      rows += page.json.Data.length;
      code = page.json.QueryMoreCode;
      if (code !== null) await sleep(EVERY_MS);
    } while (code !== null);
    over = true;
    await abandoning;
    expect([rows, seen.size]).toEqual([ROWS, ROWS]);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    reportFigure(
      31,
      `a reader every ${EVERY_MS} ms had all ${ROWS.toLocaleString('en')} rows beside ${statuses.length} abandoned first pages`,
    );
  });
});

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    bytes += await stat(join(folder, name)).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0,
    );
  }
  return bytes;
}
