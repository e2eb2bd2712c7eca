import { afterAll, beforeAll, expect, it } from 'vitest';
import { NOW, openPeople, type People } from '../../../test/support/people/people.ts';
import { createGuessDelay, createSharedGuesses, type SharedGuesses } from './guesses.ts';

let people: People;
let here: SharedGuesses;
let there: SharedGuesses;
beforeAll(async () => {
  people = await openPeople();
  [here, there] = [createSharedGuesses(people.store), createSharedGuesses(people.store)];
});
afterAll(() => people.close());

it('counts the failures of all processes per account and address, ignoring case', async () => {
  for (let turn = 0; turn < 5; turn++) {
    expect(await there.waitSeconds('ann', '192.0.2.1', NOW + 1000)).toBe(0);
    await here.recordFailure(turn % 2 ? 'ANN' : 'ann', '192.0.2.1', NOW + turn);
  }
  expect(await there.waitSeconds('Ann', '192.0.2.1', NOW + 1000)).toBe(59);
  expect(await there.waitSeconds('ann', '192.0.2.2', NOW + 1000)).toBe(0);
  expect(await there.waitSeconds('bob', '192.0.2.1', NOW + 1000)).toBe(0);
  expect(await there.waitSeconds('ann', '192.0.2.1', NOW + 60_000)).toBe(0);
});

it('counts fifty per address, whatever the names', async () => {
  for (let turn = 0; turn < 50; turn++) await here.recordFailure(`name ${turn}`, '192.0.2.9', NOW);
  expect(await there.waitSeconds('another', '192.0.2.9', NOW)).toBe(60);
});

it('requires a wait of at most a minute if another clock is ahead', async () => {
  for (let turn = 0; turn < 5; turn++) await here.recordFailure('eve', '192.0.2.3', NOW + 30_000);
  expect(await there.waitSeconds('eve', '192.0.2.3', NOW)).toBe(60);
});

it('does not read the store if there is one process', async () => {
  const alone = createSharedGuesses(null);
  for (let turn = 0; turn < 9; turn++) await alone.recordFailure('ann', '192.0.2.1', NOW);
  expect(await alone.waitSeconds('ann', '192.0.2.1', NOW)).toBe(0);
});

it('delays at most twenty checks per account, ignoring case, and two hundred in total', async () => {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const delay = createGuessDelay(() => over);
  const ofOne = Array.from({ length: 21 }, (_, n) => delay.wait(n % 2 ? 'Ann' : 'ann', 100));
  expect(await ofOne.at(-1)).toBe(false);
  const ofMany = Array.from({ length: 181 }, (_, n) => delay.wait(`name ${n}`, 100));
  expect(await ofMany.at(-1)).toBe(false);
  resolve();
  expect((await Promise.all([...ofOne, ...ofMany])).filter(Boolean)).toHaveLength(200);
  expect(await delay.wait('ann', 100)).toBe(true);
});
