import { expect, test } from 'vitest';
import { once } from './once.ts';

test('does the work once, also when it is called again while the work starts', async () => {
  let calls = 0;
  const close: () => Promise<number> = once(async () => {
    calls++;
    void close();
    return calls;
  });
  expect(await Promise.all([close(), close()])).toEqual([1, 1]);
  expect(await close()).toBe(1);
  expect(calls).toBe(1);
});

test('rejects every call when the work fails', async () => {
  const close = once(() => Promise.reject(new Error('refused')));
  await expect(close()).rejects.toThrow('refused');
  await expect(close()).rejects.toThrow('refused');
});
