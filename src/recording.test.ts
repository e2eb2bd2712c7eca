import type { statfs } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { roomBeyondReserve } from './recording.ts';

const GIB = 2 ** 30;

it.each([
  ['more than 1 GiB of a large disk is free', 100 * GIB, 2 * GIB, true],
  ['less than 1 GiB of a large disk is free', 100 * GIB, GIB / 2, false],
  ['more than a tenth of a small disk is free', 2 * GIB, GIB / 2, true],
  ['less than a tenth of a small disk is free', 2 * GIB, GIB / 10, false],
])('knows whether there is room beyond the reserve when %s', async (_what, blocks, bavail, expected) => {
  const sizeOf = (async () => ({ bsize: 1, blocks, bavail })) as unknown as typeof statfs;
  const hasRoom = roomBeyondReserve('/', sizeOf);
  expect(hasRoom()).toBe(true); // not measured yet
  await setImmediate();
  expect(hasRoom()).toBe(expected);
});
