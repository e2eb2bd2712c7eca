import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ConnectorError } from '../connector.ts';
import { RunDeadline } from '../runs/run-deadline.ts';
import { EngineProcess } from './engine-process.ts';
import { SharedProcess } from './shared-process.ts';

const program = fileURLToPath(new URL('../sqlite/child/main.ts', import.meta.url));
const startProcess = () =>
  new EngineProcess({
    engine: 'SQLite',
    program,
    flags: [],
    environment: {},
    memoryBytes: 2 ** 30,
    oneRequestAtATime: false,
  });

function sharedProcess(idleMs: number) {
  const started: EngineProcess[] = [];
  const cleaned: number[] = [];
  let failing = false;
  const shared = new SharedProcess({
    engine: 'SQLite',
    idleMs,
    async start() {
      if (failing) throw new ConnectorError('unavailable', 'no such file');
      const process = startProcess();
      started.push(process);
      return process;
    },
    async cleanUp() {
      cleaned.push(started.length);
    },
  });
  const fail = (isFailing: boolean) => {
    failing = isFailing;
  };
  return { shared, started, cleaned, fail };
}

const deadline = () => new RunDeadline(new AbortController().signal, 10_000);

/** The channel of a request whose response, a failure, has been received. */
async function used(process: EngineProcess) {
  const channel = process.open();
  channel.send({ type: 'ping' }); // fails, because no file is open
  await channel.whenReceived(1);
  return channel;
}

test('uses one process for simultaneous runs and for runs soon after', async () => {
  const { shared, started } = sharedProcess(10_000);
  const deadlines = [deadline(), deadline()];
  const lent = await Promise.all(deadlines.map((own) => shared.acquire(own)));
  for (const [i, process] of lent.entries()) await shared.release(process, await used(process), deadlines[i] ?? deadline());
  expect(await shared.acquire(deadline())).toBe(lent[0]);
  expect(started).toHaveLength(1);
  await shared.close();
  expect(started[0]?.isAlive).toBe(false);
});

test('ends the process after a time without use and starts another for the next run', async () => {
  const { shared, started, cleaned } = sharedProcess(50);
  const own = deadline();
  const first = await shared.acquire(own);
  await shared.release(first, await used(first), own);
  await started[0]?.exited;
  expect(await shared.acquire(deadline())).toBe(started[1]);
  expect(cleaned).toEqual([1]);
  await shared.close();
  expect(cleaned).toEqual([1, 2]);
});

test('does not end the process while it is in use', async () => {
  const { shared, started } = sharedProcess(20);
  const [long, short] = [deadline(), deadline()];
  const process = await shared.acquire(long);
  await shared.release(await shared.acquire(short), await used(process), short);
  await new Promise((resolve) => setTimeout(resolve, 60)); // three times as long as it may be idle
  expect(process.isAlive).toBe(true);
  expect(started).toHaveLength(1);
  await shared.close();
});

test('replaces a killed process after its exit', async () => {
  const { shared, started } = sharedProcess(10_000);
  const own = deadline();
  const first = await shared.acquire(own);
  first.kill();
  await shared.release(first, first.open(), own);
  expect(await shared.acquire(deadline())).toBe(started[1]);
  await first.exited;
  await shared.close();
});

test('tries to start the process again after a failed start', async () => {
  const { shared, started, fail } = sharedProcess(10_000);
  fail(true);
  await expect(shared.acquire(deadline())).rejects.toMatchObject({ kind: 'unavailable', message: 'no such file' });
  fail(false);
  expect(await shared.acquire(deadline())).toBe(started[0]);
  await shared.close();
});

test('refuses runs after it was closed', async () => {
  const { shared } = sharedProcess(10_000);
  await shared.close();
  await expect(shared.acquire(deadline())).rejects.toMatchObject({ kind: 'unavailable' });
});
