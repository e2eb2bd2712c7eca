import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { hasFreeSpace } from './audit-recording.ts';

const GIB = 2 ** 30;

/** The result for a disk of the given size and free space. */
async function hasRoom(size: number, free: number): Promise<boolean> {
  const real = await statfs(tmpdir());
  const measured = Promise.resolve({ ...real, bsize: 4096, blocks: size / 4096, bavail: free / 4096 });
  const room = hasFreeSpace('/data', (() => measured) as unknown as typeof statfs);
  expect(room(), 'nobody waits for the disk').toBe(true);
  await measured;
  return room();
}

it('reserves 1 GiB, or a tenth of a smaller disk, for entries of authenticated calls', async () => {
  expect(await hasRoom(100 * GIB, 1.1 * GIB)).toBe(true);
  expect(await hasRoom(100 * GIB, 0.9 * GIB)).toBe(false);
  expect(await hasRoom(2 * GIB, 0.3 * GIB)).toBe(true);
  expect(await hasRoom(2 * GIB, 0.1 * GIB)).toBe(false);
});
