import { setImmediate as nextEvent } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { createGeneration } from './cache-reads.ts';

let reads: PromiseWithResolvers<number>[];
let generation: ReturnType<typeof createGeneration>;
beforeEach(() => {
  reads = [];
  generation = createGeneration(() => {
    const read = Promise.withResolvers<number>();
    reads.push(read);
    return read.promise;
  });
});

it('reads once for all waiting calls', async () => {
  const calls = [generation.readNext(), generation.readNext()];
  await nextEvent();
  calls.push(generation.readNext()); // the read has begun: too late for it
  expect(reads).toHaveLength(1);
  reads[0]?.resolve(1);
  expect(await Promise.all(calls.slice(0, 2))).toEqual([1, 1]);
  await nextEvent();
  await nextEvent();
  expect(reads).toHaveLength(2);
  reads[1]?.resolve(2);
  expect(await calls[2]).toBe(2);
});

it('is known until everything that follows from the read without a wait is done', async () => {
  const seen = generation.readNext().then(async () => {
    for (let step = 0; step < 50; step++) await undefined;
    return generation.peek();
  });
  await nextEvent();
  reads[0]?.resolve(7);
  expect(await seen).toBe(7);
  await nextEvent();
  expect(generation.peek()).toBeUndefined();
});

it('fails the calls that wait for a failing read and for the next one, and then reads again', async () => {
  const first = generation.readNext();
  await nextEvent();
  const second = generation.readNext();
  reads[0]?.reject(new Error('gone'));
  expect(await Promise.allSettled([first, second])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  const third = generation.readNext();
  await nextEvent();
  reads[1]?.resolve(3);
  expect(await third).toBe(3);
});

it('is not known after a write during the read', async () => {
  const seen = generation.readNext().then(() => generation.peek());
  await nextEvent();
  reads[0]?.resolve(7);
  generation.forget();
  expect(await seen).toBeUndefined();
});
