import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, cp, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { isRunning } from '../../support/databases/engine-processes.ts';
import { drain, jsonRows, createSignal, rejection } from '../connector-steps.ts';
import { connections, folders, openCopy, processIds, rowsOf, series, slow, template } from './fixture.ts';

describe('the processes of a SQLite database', () => {
  let connector: Connector;
  beforeAll(async () => {
    connector = (await openCopy({ writable: false })).connector;
  });
  afterAll(() => connector.close());
  afterEach(async () => expect(await rowsOf(connector, 'SELECT 1')).toEqual([['1']]));

  const run = (sql: string, timeoutMs = 30_000) => connector.run({ sql, parameters: [] }, { timeoutMs }, createSignal());

  test('are started on demand, at most as many as connections', async () => {
    expect(await processIds()).toEqual([]);
    const runs = Array.from({ length: 50 }, async (_, i) => (await jsonRows(await run(series(200 + i, 'n')))).length - i);
    expect(new Set(await Promise.all(runs))).toEqual(new Set([200]));
    expect((await processIds()).length).toBeLessThanOrEqual(connections);
  });

  test('are killed when a query does not end in time', async () => {
    await rowsOf(connector, 'SELECT 1');
    const before = await processIds();
    expect((await rejection(drain(run(slow, 200)))).kind).toBe('timeout');
    const isGone = async () => {
      const now = await processIds();
      return before.some((id) => !now.includes(id));
    };
    await untilSo(isGone);
  });

  test('keep running when a reader closes a result with pending rows', async () => {
    const keepsProcesses = async () => {
      await rowsOf(connector, 'SELECT 1');
      const rows = await run(series(1_000_000, 'n'));
      const before = await processIds();
      for await (const batch of rows.batches()) {
        expect(batch.length).toBeGreaterThan(0);
        await sleep(200);
        break;
      }
      return isDeepStrictEqual(await processIds(), before);
    };
    await untilSo(keepsProcesses); // on a busy machine one that does not stop in time is killed
  });

  test('send rows that come slowly before the next one is there', async () => {
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)';
    const steps = 'CASE i WHEN 1 THEN 1 WHEN 2 THEN 1e6 ELSE 1e15 END'; // the third never comes
    const count = `WITH RECURSIVE s(j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM s WHERE j < ${steps}) SELECT count(*) FROM s`;
    const rows = await run(`${numbers} SELECT i, (${count}) FROM n`);
    for await (const batch of rows.batches()) {
      expect(batch.length).toBe(2);
      break;
    }
  });

  test('fail only their own query when they crash', async () => {
    const running = Array.from({ length: connections }, () => rejection(drain(run(slow))));
    await untilSo(async () => (await processIds()).length === connections);
    const ids = await processIds();
    const other = await openCopy({ writable: false });
    const whole = rowsOf(other.connector, series(100_000, 'n'));
    for (const id of ids) process.kill(id, 'SIGKILL');
    for (const error of await Promise.all(running)) {
      // unavailable: on a busy machine a process may not have begun to run the query
      expect(error).toMatchObject({
        kind: expect.stringMatching(/^(failed|unavailable)$/),
        message: expect.stringContaining('SIGKILL'),
      });
    }
    expect(await whole).toHaveLength(100_000);
    await other.close();
  });

  test('have the file open for reading only', async () => {
    const { connector: other, file, close } = await openCopy({ writable: true });
    const before = await processIds();
    await other.ping(createSignal());
    const [started] = (await processIds()).filter((id) => !before.includes(id));
    const modes: number[] = [];
    for (const name of await readdir(`/proc/${started}/fd`)) {
      if ((await readlink(`/proc/${started}/fd/${name}`).catch(() => '')) !== file) continue;
      const [, flags = ''] = /flags:\s+(\d+)/.exec(await readFile(`/proc/${started}/fdinfo/${name}`, 'utf8')) ?? [];
      modes.push(Number.parseInt(flags, 8) & 3);
    }
    expect(modes).toEqual([constants.O_RDONLY]);
    await close();
  });

  test('do not inherit the environment', async () => {
    process.env.CANARY_SECRET = 'hush';
    const other = await openCopy({ writable: false });
    const before = await processIds();
    await other.connector.ping(createSignal());
    const [started] = (await processIds()).filter((id) => !before.includes(id));
    const environment = await readFile(`/proc/${started}/environ`, 'utf8');
    delete process.env.CANARY_SECRET;
    await other.close();
    expect(environment).toContain('TZ=UTC');
    expect(environment).not.toMatch(/CANARY_SECRET|HOME=/);
  });

  test('stream a million rows in bounded memory in both processes', async () => {
    const sql = series(1_000_000, "n, 'a string of some length, number ' || n AS s, n * 1.5 AS d");
    const before = process.memoryUsage.rss();
    let peak = 0;
    let seen = 0;
    for await (const batch of (await run(sql)).batches()) {
      batch.value(0, 1);
      seen += batch.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    expect(seen).toBe(1_000_000);
    expect((peak - before) / 2 ** 20).toBeLessThan(100);
    for (const id of await processIds()) expect(await peakMegabytes(id)).toBeLessThan(200);
  });

  test('end when the connector is closed', async () => {
    const before = await processIds();
    const other = await openCopy({ writable: false });
    const running = rejection(drain(other.connector.run({ sql: slow, parameters: [] }, { timeoutMs: 60_000 }, createSignal())));
    const paused = await other.connector.run({ sql: series(1e9, 'n'), parameters: [] }, { timeoutMs: 60_000 }, createSignal());
    await other.connector.ping(createSignal());
    expect((await processIds()).length).toBe(before.length + 3);
    await other.close();
    expect(await processIds()).toEqual(before);
    expect((await running).kind).toBe('unavailable');
    await paused.close();
  });
});

test('the processes end with the service, also when it is killed during a query', async () => {
  const file = join(folders.files, 'orphaned.db');
  await cp(template, file);
  const program = fileURLToPath(new URL('../../support/databases/embedded-service-process.ts', import.meta.url));
  const service = spawn(process.execPath, [program, 'sqlite', file, slow], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(service.stdout, 'data');
  const children = await processIds(service.pid);
  expect(children).toHaveLength(2);
  service.kill('SIGKILL');
  await untilSo(async () => !children.some(isRunning));
});

async function peakMegabytes(id: number): Promise<number> {
  return Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'))?.[1]) / 1024;
}

const untilSo = (condition: () => Promise<boolean>) => expect.poll(condition).toBe(true);
