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
  let told = 0;
  expect(
    await read(
      endTold(body, () => void told++),
      most,
    ),
  ).toBe(Math.min(3, most));
  expect(told).toBe(1);
});

it('tells that a body broke, unless nothing of it had left', async () => {
  let told = 0;
  const ended = () => void told++;
  await expect(read(endTold(bytes(0, true), ended))).rejects.toThrow('broken');
  expect(told).toBe(0);
  await expect(read(endTold(bytes(2, true), ended))).rejects.toThrow('broken');
  expect(told).toBe(1);
});
