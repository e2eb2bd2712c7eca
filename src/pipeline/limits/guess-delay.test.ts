import { expect, it } from 'vitest';
import { createGuessDelay } from './guess-delay.ts';

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
