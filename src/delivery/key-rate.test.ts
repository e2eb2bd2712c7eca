import { expect, it } from 'vitest';
import { createKeyRate } from './key-rate.ts';

it('lets so many calls a second through, then asks to wait, and fills up again', () => {
  const rate = createKeyRate();
  for (let call = 0; call < 5; call++) expect(rate.take('k1', 5, 1000)).toBe(0);
  expect(rate.take('k1', 5, 1000)).toBe(1);
  expect(rate.take('k1', 5, 1199)).toBe(1);
  expect(rate.take('k1', 5, 1200)).toBe(0);
  expect(rate.take('k1', 5, 1201)).toBe(1);
});

it('saves no more than a second, however long a key was still', () => {
  const rate = createKeyRate();
  rate.take('k1', 2, 0);
  expect([1, 2, 3].map(() => rate.take('k1', 2, 3_600_000))).toEqual([0, 0, 1]);
});

it('counts each key by itself, and none when it is off', () => {
  const rate = createKeyRate();
  expect(rate.take('k1', 1, 0)).toBe(0);
  expect(rate.take('k2', 1, 0)).toBe(0);
  expect(rate.take('k1', 1, 0)).toBe(1);
  for (let call = 0; call < 100; call++) expect(rate.take('k1', 0, 0)).toBe(0);
});

it('follows a rate that changes while it runs', () => {
  const rate = createKeyRate();
  for (let call = 0; call < 100; call++) rate.take('k1', 100, 0);
  expect(rate.take('k1', 100, 0)).toBe(1);
  expect(rate.take('k1', 2, 500)).toBe(0);
  expect(rate.take('k1', 2, 500)).toBe(1);
});

it('locks no key out when the clock is set back', () => {
  const rate = createKeyRate();
  expect(rate.take('k1', 1, 10_000_000)).toBe(0);
  expect(rate.take('k1', 1, 0)).toBe(1);
  expect(rate.take('k1', 1, 1000)).toBe(0);
});

it('forgets the keys that were still longest rather than grow without end', () => {
  const rate = createKeyRate();
  rate.take('still', 1, 0);
  rate.take('busy', 1, 0);
  for (let key = 0; key < 9_998; key++) rate.take(`k${key}`, 1, 0);
  rate.take('busy', 1, 0);
  rate.take('one more', 1, 0);
  expect(rate.take('busy', 1, 0)).toBe(1);
  expect(rate.take('still', 1, 0)).toBe(0);
});
