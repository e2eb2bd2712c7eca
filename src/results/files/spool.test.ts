import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SnapshotStorageError, SpaceExhaustedError } from '../snapshot/stop.ts';
import { createSpool, type SpoolOptions } from './spool.ts';

const CHUNK = 100 << 10;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spool-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const openSpool = (more: Partial<SpoolOptions> = {}) =>
  createSpool({ folder, maxBytesEach: 1 << 30, maxBytesAll: 1 << 30, maxBytesUser: 1 << 30, readerWaitMs: 10, ...more });

/** Chunks whose bytes are their number, and the progress of the source. */
function numbered(count: number, failAt = Number.POSITIVE_INFINITY) {
  const made = { chunks: 0, closed: false };
  async function* source() {
    try {
      for (let n = 0; n < count; n++) {
        if (n === failAt) throw new Error('broken');
        made.chunks++;
        yield Buffer.alloc(CHUNK, n);
      }
    } finally {
      made.closed = true;
    }
  }
  return { made, source: source() };
}

async function digits(iterator: AsyncIterable<Uint8Array>, pauseMs = 0): Promise<number[]> {
  const bytes: Uint8Array[] = [];
  for await (const chunk of iterator) {
    bytes.push(chunk);
    if (pauseMs > 0) await delay(pauseMs);
  }
  const all = Buffer.concat(bytes);
  return Array.from({ length: all.length / CHUNK }, (_, n) => all[n * CHUNK + CHUNK - 1] ?? -1);
}
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

it('passes the bytes on in order to fast and slow readers', async () => {
  expect(await digits(openSpool()('u1', numbered(40).source, { wholeFirst: false }))).toEqual(upTo(40));
  expect(await digits(openSpool()('u1', numbered(40).source, { wholeFirst: false }), 15)).toEqual(upTo(40));
  expect(await digits(openSpool({ readerWaitMs: 0 })('u1', numbered(40).source, { wholeFirst: false }), 1)).toEqual(upTo(40));
});

it('first waits for the reader, then continues without it', async () => {
  const patient = numbered(40);
  const waiting = openSpool({ readerWaitMs: 3_600_000 })('u1', patient.source, { wholeFirst: false });
  await waiting.next();
  await delay(50);
  expect(patient.made.chunks).toBeLessThan(10);
  await waiting.return?.();

  const { made, source } = numbered(40);
  const spool = openSpool()('u1', source, { wholeFirst: false });
  await spool.next();
  await expect.poll(() => made).toEqual({ chunks: 40, closed: true });
  expect(await digits(spool)).toEqual(upTo(40).slice(1));
});

it('waits for the reader if its file, or all files together, reached their bound', async () => {
  for (const bounds of [{ maxBytesEach: 5 * CHUNK }, { maxBytesAll: 5 * CHUNK }]) {
    const { made, source } = numbered(40);
    const spool = openSpool(bounds)('u1', source, { wholeFirst: false });
    await spool.next();
    await delay(100);
    expect(made.chunks).toBeLessThan(20);
    expect(await digits(spool, 2)).toEqual(upTo(40).slice(1));
  }
});

it('releases its space', async () => {
  const tight = openSpool({ maxBytesAll: 30 * CHUNK });
  for (let turn = 0; turn < 3; turn++) {
    expect(await digits(tight('u1', numbered(30).source, { wholeFirst: true }))).toEqual(upTo(30));
  }
});

it('returns nothing before everything is there with wholeFirst', async () => {
  const { made, source } = numbered(30);
  const spool = openSpool()('u1', source, { wholeFirst: true });
  await spool.next();
  expect(made).toEqual({ chunks: 30, closed: true });
  await spool.return?.();
  await expect(openSpool()('u1', numbered(30, 29).source, { wholeFirst: true }).next()).rejects.toThrow('broken');
  const small = openSpool({ maxBytesEach: 5 * CHUNK })('u1', numbered(30).source, { wholeFirst: true });
  await expect(small.next()).rejects.toThrow(SpaceExhaustedError);
});

it('fails after the preceding bytes if its source fails', async () => {
  const spool = openSpool()('u1', numbered(30, 20).source, { wholeFirst: false });
  const seen: number[] = [];
  const reading = (async () => {
    for await (const chunk of spool) seen.push(chunk.length);
  })();
  await expect(reading).rejects.toThrow('broken');
  expect(seen.reduce((sum, length) => sum + length, 0)).toBe(20 * CHUNK);
});

it('closes its source when the reader stops, in every state', async () => {
  const { made, source } = numbered(1000);
  const spool = openSpool({ maxBytesEach: 5 * CHUNK })('u1', source, { wholeFirst: false });
  await spool.next();
  await delay(60);
  await spool.return?.();
  expect(made.closed).toBe(true);
  expect(made.chunks).toBeLessThan(100);
});

it('leaves no name in the folder, and fails without a folder', async () => {
  const spool = openSpool()('u1', numbered(30).source, { wholeFirst: true });
  await spool.next();
  expect(await readdir(folder)).toEqual([]);
  await spool.return?.();
  await rm(folder, { recursive: true });
  await expect(openSpool()('u1', numbered(30).source, { wholeFirst: true }).next()).rejects.toThrow(SnapshotStorageError);
});
