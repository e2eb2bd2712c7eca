import { expect, it } from 'vitest';
import { endTold } from './row-quota.ts';

async function* bytes(chunks: number, breaks = false): AsyncIterable<Uint8Array> {
  for (let index = 0; index < chunks; index++) yield Uint8Array.of(index);
  if (breaks) throw new Error('broken');
}
async function read(body: AsyncIterable<Uint8Array>, most = 100): Promise<number> {
  let read = 0;
  for await (const chunk of body) {
    read += chunk.length;
    if (read === most) break;
  }
  return read;
}

it.each([
  ['to its end', bytes(3), 100],
  ['until the reader leaves', bytes(3), 2],
])('tells once that a body was read %s', async (_, body, most) => {
  const told: boolean[] = [];
  expect(
    await read(
      endTold(body, (left) => void told.push(left)),
      most,
    ),
  ).toBe(Math.min(3, most));
  expect(told).toEqual([true]);
});

it('tells that a body broke, and whether any of it had left', async () => {
  const told: boolean[] = [];
  const ended = (left: boolean) => void told.push(left);
  await expect(read(endTold(bytes(0, true), ended))).rejects.toThrow('broken');
  await expect(read(endTold(bytes(2, true), ended))).rejects.toThrow('broken');
  expect(told).toEqual([false, true]);
});
