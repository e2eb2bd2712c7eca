import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPeople, type People } from '../../test/support/people/people.ts';
import { createClusterExecutions, createExecutions, type RunningExecution } from './executions.ts';

const execution = (id: string): RunningExecution => ({
  id,
  query: 'QD_Sales',
  userId: 'u1',
  user: 'alice',
  kind: 'person',
  viewer: null,
  application: null,
  channel: 'rest',
  startedAt: 0,
  rows: 0,
  request: null,
  state: 'running',
});

it('lists executions until they end', () => {
  const executions = createExecutions();
  const end = executions.begin(execution('a'), () => {});
  executions.begin(execution('b'), () => {});
  end();
  end();
  expect(executions.list().map((each) => each.id)).toEqual(['b']);
  expect(executions.get('a')).toBeUndefined();
});

it('cancels a running execution, and returns false without one', () => {
  const executions = createExecutions();
  let cancelled = 0;
  const end = executions.begin(execution('a'), () => void cancelled++);
  expect(executions.cancel('a')).toBe(true);
  expect(executions.get('a')?.state).toBe('cancelling');
  end();
  expect(executions.cancel('a')).toBe(false);
  expect(cancelled).toBe(1);
});

it('cancels all, also if cancelling ends them immediately', () => {
  const executions = createExecutions();
  const cancelled: string[] = [];
  for (const id of ['a', 'b', 'c']) {
    const end = executions.begin(execution(id), () => {
      cancelled.push(id);
      end();
    });
  }
  executions.cancelAll();
  expect(cancelled).toEqual(['a', 'b', 'c']);
  expect(executions.list()).toEqual([]);
});

let people: People;
let clock: number;
beforeEach(async () => {
  people = await openPeople();
  clock = 1_000_000;
});
afterEach(() => people.close());

function processNamed(name: string) {
  const executions = createExecutions();
  const cluster = createClusterExecutions({ executions, store: people.store, process: name, now: () => clock });
  const cancelled: string[] = [];
  const begin = (id: string, request: string | null = null, state: 'running' | 'draining' = 'running') =>
    executions.begin(
      {
        id,
        query: 'QD_A',
        userId: 'u1',
        user: 'ann',
        kind: 'person',
        viewer: null,
        application: null,
        channel: 'rest',
        request,
        startedAt: clock,
        rows: 0,
        state,
      },
      () => cancelled.push(id),
    );
  const seen = async () => (await cluster.list()).map(({ id }) => id);
  return { executions, ...cluster, begin, cancelled, seen };
}

it('shows an execution that lasts to other processes, once, until it ends', async () => {
  const [one, other] = [processNamed('one'), processNamed('other')];
  const end = one.begin('a');
  await one.exchange();
  expect([await one.seen(), await other.seen()]).toEqual([['a'], []]); // too short to report
  clock += 2_000;
  other.begin('b');
  await one.exchange();
  expect([await one.seen(), await other.seen()]).toEqual([['a'], ['a', 'b']]);
  end();
  await one.exchange();
  expect(await other.seen()).toEqual(['b']);
});

it('cancels an execution of another process with its next exchange', async () => {
  const [one, other] = [processNamed('one'), processNamed('other')];
  one.begin('a');
  clock += 2_000;
  await one.exchange();
  expect(await other.cancel('a')).toBe(true);
  expect(await other.get('a')).toMatchObject({ state: 'cancelling' });
  expect(one.cancelled).toEqual([]);
  await one.exchange();
  expect(one.cancelled).toEqual(['a']);
  expect(await one.get('a')).toMatchObject({ state: 'cancelling' });
  expect(await other.cancel('unknown')).toBe(false);
});

it('cancels its own execution immediately, and ignores a process that was killed', async () => {
  const [one, other] = [processNamed('one'), processNamed('other')];
  one.begin('a');
  other.begin('b');
  expect(await one.cancel('a')).toBe(true);
  expect(one.cancelled).toEqual(['a']);
  clock += 2_000;
  await other.exchange();
  clock += 20_000;
  expect(await one.seen()).toEqual(['a']);
  expect(await one.cancel('b')).toBe(false);
});

it('cancels the only waiting execution of a request, in either process', async () => {
  const [one, other] = [processNamed('one'), processNamed('other')];
  one.begin('a', 'k1 5');
  one.begin('b', 'k1 6');
  one.begin('c', 'k1 7', 'draining');
  clock += 2_000;
  await one.exchange();
  const end = other.begin('d', 'k1 6');
  await one.cancelRequest('k1 5');
  expect(one.cancelled).toEqual(['a']);
  for (const request of ['k1 6', 'k1 7', 'k2 6']) await other.cancelRequest(request);
  await one.exchange();
  expect([one.cancelled, other.cancelled]).toEqual([['a'], []]);
  end();
  await other.cancelRequest('k1 6');
  await one.exchange();
  expect(one.cancelled).toEqual(['a', 'b']);
});

it('cancels an execution that another process reports later', async () => {
  const [one, other] = [processNamed('one'), processNamed('other')];
  one.begin('a', 'k1 5');
  const cancelling = other.cancelRequest('k1 5');
  clock += 2_000;
  await one.exchange();
  await cancelling;
  await one.exchange();
  expect(one.cancelled).toEqual(['a']);
});
