import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { RunDeadline } from '../runs/run-deadline.ts';
import type { RunPool } from '../runs/run-pool.ts';
import { EngineProcess, processPool } from './engine-process.ts';

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

function poolOf(max: number, idleMs: number): { pool: RunPool<EngineProcess>; started: EngineProcess[] } {
  const started: EngineProcess[] = [];
  const start = () => {
    const process = startProcess();
    started.push(process);
    return process;
  };
  return { pool: processPool({ max, idleMs, start }), started };
}

const deadline = () => new RunDeadline(new AbortController().signal, 10_000);

test('uses a released process again', async () => {
  const { pool, started } = poolOf(2, 10_000);
  for (let i = 0; i < 3; i++) {
    const own = deadline();
    pool.release(await pool.acquire(own), own);
  }
  expect(started).toHaveLength(1);
  await pool.close();
});

test('starts a replacement for a killed process before the next run', async () => {
  const { pool, started } = poolOf(2, 10_000);
  const own = deadline();
  const process = await pool.acquire(own);
  process.kill();
  pool.release(process, own);
  await expect.poll(() => started).toHaveLength(2);
  expect(await pool.acquire(deadline())).toBe(started[1]);
  await pool.close(true);
  expect(started.some(({ isAlive }) => isAlive)).toBe(false);
});

test('gives a waiting run a new process when one was killed', async () => {
  const { pool, started } = poolOf(1, 10_000);
  const first = deadline();
  const process = await pool.acquire(first);
  const second = pool.acquire(deadline());
  process.kill();
  pool.release(process, first);
  expect(await second).toBe(started[1]);
  await pool.close(true);
});

test('kills the process of work that is stopped', async () => {
  const { pool, started } = poolOf(1, 10_000);
  const abort = new AbortController();
  const work = pool.use(abort.signal, () => Promise.withResolvers<void>().promise);
  await expect.poll(() => started).toHaveLength(1);
  abort.abort();
  await expect(work).rejects.toMatchObject({ kind: 'cancelled' });
  expect(started[0]?.isAlive).toBe(false);
  await pool.close();
});

test('ends processes that are idle for longer than the limit', async () => {
  const { pool, started } = poolOf(2, 100);
  const deadlines = [deadline(), deadline()];
  const used = await Promise.all(deadlines.map((own) => pool.acquire(own)));
  used.forEach((process, i) => pool.release(process, deadlines[i] ?? deadline()));
  await Promise.all(started.map(({ exited }) => exited));
  expect(started).toHaveLength(2);
  const own = deadline();
  pool.release(await pool.acquire(own), own);
  expect(started).toHaveLength(3);
  await pool.close();
});

test('does not use a process that ended while it was idle', async () => {
  const { pool, started } = poolOf(1, 10_000);
  const own = deadline();
  const first = await pool.acquire(own);
  pool.release(first, own);
  process.kill(first.pid ?? 0, 'SIGKILL');
  await first.exited;
  expect(await pool.acquire(deadline())).toBe(started[1]);
  await pool.close(true);
});

test('closing kills the processes in use and stops their runs', async () => {
  const { pool, started } = poolOf(1, 10_000);
  const own = deadline();
  await pool.acquire(own);
  const waiting = pool.acquire(deadline());
  const rejected = expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
  await pool.close(true);
  await rejected;
  expect(own.stopped).toMatchObject({ kind: 'unavailable' });
  expect(started.some(({ isAlive }) => isAlive)).toBe(false);
  expect(() => pool.acquire(deadline())).toThrow('closed');
});
