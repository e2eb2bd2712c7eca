import { expect, it } from 'vitest';
import { withEnd } from './row-quota.ts';

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
  ['until the reader disconnects', bytes(3), 2],
])('calls back once when a body was read %s', async (_, body, most) => {
  const ends: boolean[] = [];
  expect(
    await read(
      withEnd(body, (anySent) => void ends.push(anySent)),
      most,
    ),
  ).toBe(Math.min(3, most));
  expect(ends).toEqual([true]);
});

it('calls back when a body fails, with whether any bytes were sent', async () => {
  const ends: boolean[] = [];
  const onEnd = (anySent: boolean) => void ends.push(anySent);
  await expect(read(withEnd(bytes(0, true), onEnd))).rejects.toThrow('broken');
  await expect(read(withEnd(bytes(2, true), onEnd))).rejects.toThrow('broken');
  expect(ends).toEqual([false, true]);
});
