import { expect, it } from 'vitest';
import { freeBytes } from './free-bytes.ts';

it('frees the buffer behind a view, but not the pool of small buffers', () => {
  const large = Buffer.allocUnsafeSlow(Buffer.poolSize + 1);
  freeBytes(large.subarray(1, 2));
  expect(large.length).toBe(0);
  const [small, neighbour] = [Buffer.from('a'), Buffer.from('b')];
  freeBytes(small);
  expect(neighbour.toString()).toBe('b');
});
