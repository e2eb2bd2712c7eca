import { expect, it } from 'vitest';
import type { QueryUseRepository } from '../store/metadata-store.ts';
import { createBatchedUses, createQueryRuns, type Uses } from './batched-uses.ts';

it('adds up the uses of an object, writes them once, and writes nothing without uses', async () => {
  const written: (readonly Uses[])[] = [];
  let time = 10;
  const uses = createBatchedUses(
    async (batch) => void written.push(batch),
    () => time++,
  );
  await uses.flush();
  for (const id of ['a', 'b', 'a']) uses.note(id);
  await uses.flush();
  await uses.flush();
  expect(written).toEqual([
    [
      { id: 'a', count: 2, at: 12 },
      { id: 'b', count: 1, at: 11 },
    ],
  ]);
});

it('keeps uses that could not be written, under the later of two times', async () => {
  const written: Uses[] = [];
  let time = 1;
  let broken = true;
  const write = async (batch: readonly Uses[]) => {
    if (broken) {
      time = 2;
      uses.note('b'); // used again while the store was failing
      throw new Error('locked');
    }
    written.push(...batch);
  };
  const uses = createBatchedUses(write, () => time);
  uses.note('a');
  uses.note('b');
  await expect(uses.flush()).rejects.toThrow('locked');
  broken = false;
  await uses.flush();
  expect(written.toSorted((a, b) => a.at - b.at)).toEqual([
    { id: 'a', count: 1, at: 1 },
    { id: 'b', count: 2, at: 2 },
  ]);
});

it('keeps the size of an answer until its run is written, and writes it once', async () => {
  const written: Parameters<QueryUseRepository['noteRuns']>[0][number][] = [];
  let broken = true;
  const noteRuns: QueryUseRepository['noteRuns'] = async (batch) => {
    if (broken) throw new Error('locked');
    written.push(...batch);
  };
  const runs = createQueryRuns({ noteRuns }, () => 1);
  const caller = { userId: 'u', authentication: { kind: 'basic' } } as const;
  runs.note('q', caller, { bytes: 10, tokens: 3 });
  await expect(runs.flush()).rejects.toThrow('locked');
  broken = false;
  await runs.flush();
  runs.note('q', caller, null);
  await runs.flush();
  expect(written).toEqual([
    { queryId: 'q', userId: null, at: 1, count: 1, answer: { bytes: 10, tokens: 3 } },
    { queryId: 'q', userId: null, at: 1, count: 1, answer: undefined },
  ]);
});
