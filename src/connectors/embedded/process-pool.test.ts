import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { Watch } from '../watch.ts';
import { EngineProcess } from './engine-process.ts';
import { ProcessPool } from './process-pool.ts';

const scratch = await mkdtemp(join(tmpdir(), 'process-pool-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

const program = fileURLToPath(new URL('../sqlite/child/main.ts', import.meta.url));
const startProcess = () =>
  new EngineProcess({
    engine: 'SQLite',
    program,
    flags: [],
    environment: { SQLITE_TMPDIR: scratch },
    memoryBytes: 2 ** 30,
    oneRequestAtATime: true,
  });

function poolOf(most: number, idleMs: number): { pool: ProcessPool<object>; started: EngineProcess<object>[] } {
  const started: EngineProcess<object>[] = [];
  const start = () => {
    const process = startProcess();
    started.push(process);
    return process;
  };
  return { pool: new ProcessPool({ most, idleMs, start }), started };
}

const watch = () => new Watch(new AbortController().signal, 10_000);

test('a process that was given back is lent again', async () => {
  const { pool, started } = poolOf(2, 10_000);
  for (let i = 0; i < 3; i++) {
    const own = watch();
    pool.giveBack(await pool.lend(own), own);
  }
  expect(started).toHaveLength(1);
  await pool.close();
});

test('a killed one is replaced at once, so that one waits for the next who comes', async () => {
  const { pool, started } = poolOf(2, 10_000);
  const own = watch();
  const process = await pool.lend(own);
  pool.discard(process, own);
  await process.exited;
  expect(started).toHaveLength(2);
  expect(await pool.lend(watch())).toBe(started[1]);
  await pool.close();
  expect(started.some(({ isAlive }) => isAlive)).toBe(false);
});

test('whoever waits gets the place of one that was killed', async () => {
  const { pool, started } = poolOf(1, 10_000);
  const first = watch();
  const process = await pool.lend(first);
  const second = pool.lend(watch());
  pool.discard(process, first);
  expect(await second).toBe(started[1]);
  await pool.close();
});

test('processes that have nothing to do are ended after a while', async () => {
  const { pool, started } = poolOf(2, 100);
  const watches = [watch(), watch()];
  const lent = await Promise.all(watches.map((own) => pool.lend(own)));
  lent.forEach((process, i) => {
    pool.giveBack(process, watches[i] ?? watch());
  });
  await Promise.all(started.map(({ exited }) => exited));
  expect(started).toHaveLength(2);
  const own = watch();
  pool.giveBack(await pool.lend(own), own);
  expect(started).toHaveLength(3);
  await pool.close();
});

test('one that died while it was idle is not lent', async () => {
  const { pool, started } = poolOf(1, 10_000);
  const own = watch();
  const first = await pool.lend(own);
  pool.giveBack(first, own);
  process.kill(first.pid ?? 0, 'SIGKILL');
  await first.exited;
  await sleep(10);
  expect(await pool.lend(watch())).toBe(started[1]);
  await pool.close();
});
