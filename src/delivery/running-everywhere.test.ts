import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPeople, type People } from '../../test/support/people/people.ts';
import { createExecutions } from './executions.ts';
import { createRunningEverywhere } from './running-everywhere.ts';

let people: People;
let clock: number;
beforeEach(async () => {
  people = await openPeople();
  clock = 1_000_000;
});
afterEach(() => people.close());

function processNamed(name: string) {
  const executions = createExecutions();
  const everywhere = createRunningEverywhere({ executions, store: people.store, process: name, now: () => clock });
  const cancelled: string[] = [];
  const begin = (id: string) =>
    executions.begin(
      { id, query: 'QD_A', userId: 'u1', user: 'ann', channel: 'rest', startedAt: clock, rows: 0, state: 'running' },
      () => cancelled.push(id),
    );
  const seen = async () => (await everywhere.list()).map(({ id }) => id);
  return { executions, ...everywhere, begin, cancelled, seen };
}

it('shows one process what another runs for a while, once, and forgets it when it ends', async () => {
  const [one, other] = [processNamed('one'), processNamed('other')];
  one.begin('a');
  await one.exchange();
  expect([await one.seen(), await other.seen()]).toEqual([['a'], []]); // not worth telling yet
  clock += 2_000;
  other.begin('b');
  await one.exchange();
  expect([await one.seen(), await other.seen()]).toEqual([['a'], ['a', 'b']]);
  one.executions.end('a');
  await one.exchange();
  expect(await other.seen()).toEqual(['b']);
});

it('cancels what another process runs, at its next look', async () => {
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

it('cancels its own at once, and knows nothing of a process that was killed', async () => {
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
