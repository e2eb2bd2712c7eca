import { expect, it } from 'vitest';
import { expectSuccess, failureOf } from '../../../test/support/people/people.ts';
import { idOf, numbers, range, takeWhole, withSnapshotFolder } from '../../../test/support/results/snapshots-under-test.ts';
import type { Snapshots } from '../../results/snapshot/snapshots.ts';
import { createReadAllRows, type ReadAllRows } from './read-all-rows.ts';

withSnapshotFolder();

/** A stored result of numbers from 0, and how often its storage was read. */
async function store(rows: number) {
  const { answer, snapshots } = await takeWhole(numbers(rows), { rowSize: 10 });
  const counted = { reads: 0 };
  const read: Snapshots['read'] = (...args) => {
    counted.reads++;
    return snapshots.read(...args);
  };
  return { id: idOf(answer), snapshots: { ...snapshots, read }, counted };
}

async function readIds(readAllRows: ReadAllRows, id: string): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const add = (row: Readonly<Record<string, unknown>>) => seen.push(row['id']) > 0;
  expectSuccess(await readAllRows(id, ['id'], add, new AbortController().signal));
  return seen;
}

it('reads and parses a result once for several drawings', async () => {
  const { id, snapshots, counted } = await store(12_000);
  const readAllRows = createReadAllRows(snapshots);
  expect(await readIds(readAllRows, id)).toEqual(range(0, 12_000));
  const { reads } = counted;
  expect(await readIds(readAllRows, id)).toEqual(range(0, 12_000));
  expect(counted.reads).toBe(reads);
});

it('keeps no result that takes more memory than allowed, and none that was not read to its end', async () => {
  const { id, snapshots, counted } = await store(12_000);
  const small = createReadAllRows(snapshots, 50_000);
  await readIds(small, id);
  const { reads } = counted;
  expect(await readIds(small, id)).toEqual(range(0, 12_000));
  expect(counted.reads).toBe(2 * reads);
  const readAllRows = createReadAllRows(snapshots);
  expectSuccess(await readAllRows(id, ['id'], () => false, new AbortController().signal));
  expect(await readIds(readAllRows, id)).toEqual(range(0, 12_000));
});

it('stops when the caller disconnects, also when it reads kept values', async () => {
  const { id, snapshots } = await store(12_000);
  const readAllRows = createReadAllRows(snapshots);
  await readIds(readAllRows, id);
  const leaving = new AbortController();
  let count = 0;
  const add = () => {
    if (++count === 10) leaving.abort();
    return true;
  };
  expect(failureOf(await readAllRows(id, ['id'], add, leaving.signal)).kind).toBe('QueryCancelled');
  expect(count).toBeLessThan(12_000);
});
