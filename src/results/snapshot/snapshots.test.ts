import { readdir } from 'node:fs/promises';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  idOf,
  ids,
  idsOf,
  manyRows,
  numbers,
  openSnapshots,
  owner,
  pageOf,
  range,
  request,
  rowsOf,
  setting,
  storageIn,
  hangAfter,
  takeWhole,
  withSnapshotFolder,
} from '../../../test/support/results/snapshots-under-test.ts';
import type { Column } from '../../core/column.ts';
import type { Snapshots } from './snapshots.ts';

withSnapshotFolder();

describe('the first page', () => {
  it('has no continuation if the last row fills the page exactly, and leaves no files', async () => {
    const { answer } = await takeWhole(numbers(10), { rowSize: 10 });
    expect(answer).toMatchObject({ snapshotId: null, page: { rowCount: 10, nextRowIndex: 10, hasMore: false } });
    expect(idsOf(answer)).toEqual(range(0, 10));
    expect(await readdir(setting.folder)).toEqual([]);
  });

  it('has a continuation if there is one more row', async () => {
    const { answer, snapshots } = await takeWhole(numbers(11), { rowSize: 10 });
    expect(answer).toMatchObject({ snapshotId: expect.stringMatching(/^[0-9a-f]{32}$/), page: { rowCount: 10, hasMore: true } });
    expect(await ids(snapshots, answer, 10, 10)).toEqual({ ids: [10], hasMore: false });
  });

  it('is empty if the result is empty', async () => {
    const { answer, outcome } = await takeWhole([], { rowSize: 10 });
    expect(answer).toMatchObject({ snapshotId: null, page: { rowCount: 0, nextRowIndex: 0, hasMore: false } });
    expect(outcome()).toEqual({ state: 'complete', rows: 0 });
  });

  it('skips to a row, and keeps the rows before it in the snapshot', async () => {
    const { answer, snapshots } = await takeWhole(numbers(100), { rowIndex: 40, rowSize: 10 });
    expect(idsOf(answer)).toEqual(range(40, 50));
    expect(await ids(snapshots, answer, 0, 5)).toEqual({ ids: range(0, 5), hasMore: true });
  });

  it('skips more rows than fit in memory', async () => {
    let files: readonly string[] = [];
    async function* rows() {
      yield* manyRows(299_000);
      files = await readdir(setting.folder);
      yield rowsOf(299_000, 300_000);
    }
    const { answer, snapshots } = await takeWhole(rows(), { rowIndex: 299_000, rowSize: 500 });
    expect(files).toEqual([idOf(answer)]);
    expect(idsOf(answer)).toEqual(range(299_000, 299_500));
    expect(await ids(snapshots, answer, 123_456, 2)).toEqual({ ids: [123_456, 123_457], hasMore: true });
    expect(await ids(snapshots, answer, 299_499, 600)).toEqual({ ids: range(299_499, 300_000), hasMore: false });
  });

  it('stores nothing if it starts after the last row', async () => {
    const { answer } = await takeWhole(manyRows(300_000), { rowIndex: 300_000, rowSize: 10 });
    expect(answer).toMatchObject({ snapshotId: null, page: { rowCount: 0, nextRowIndex: 300_000, hasMore: false } });
    expect(await readdir(setting.folder)).toEqual([]);
  });

  it('ends at the limit on bytes, but has at least one row', async () => {
    const wide = [range(0, 6).map((id) => [id, 'x'.repeat(id === 3 ? 5000 : 300)])];
    const { answer, snapshots } = await takeWhole(wide, { rowSize: 100, maxPageBytes: 1000 });
    expect(idsOf(answer)).toEqual([0, 1, 2]);
    expect(await ids(snapshots, answer, 3, 100, 1000)).toEqual({ ids: [3], hasMore: true });
    expect(await ids(snapshots, answer, 4, 100, 1000)).toEqual({ ids: [4, 5], hasMore: false });
    const again = await snapshots.read(idOf(answer), { rowIndex: 0, rowSize: 100, maxPageBytes: 1000 });
    expect(again).toMatchObject({ page: { rows: pageOf(answer).rows, hasMore: true } });
  });

  it('classifies columns without a type by the rows of this page only', async () => {
    const columns: Column[] = [
      { name: 'n', type: '', kind: 'undeclared' },
      { name: 's', type: '', kind: 'undeclared' },
    ];
    const { answer, snapshots } = await takeWhole(
      [
        [
          ['a', 'a'],
          [1, 1],
          [2, 'b'],
          ['c', 'c'],
        ],
      ],
      { rowIndex: 1, rowSize: 2 },
      {},
      columns,
    );
    expect(pageOf(answer).columns.map((column) => column.class)).toEqual(['numeric', 'categorical']);
    expect((await snapshots.manifest(idOf(answer)))?.columns).toEqual(pageOf(answer).columns);
  });

  it('is returned before the rest was read', async () => {
    const gate = Promise.withResolvers<void>();
    async function* rows() {
      yield rowsOf(0, 11);
      await gate.promise;
      yield rowsOf(11, 20);
    }
    const { answer, outcome, snapshots } = await takeWhole(rows(), { rowSize: 10 });
    expect(idsOf(answer)).toEqual(range(0, 10));
    expect(outcome()).toBeUndefined();
    gate.resolve();
    expect(await ids(snapshots, answer, 10, 10)).toEqual({ ids: range(10, 20), hasMore: false });
  });

  it('closes the stream and reports the end once, with all rows', async () => {
    const { stream, ended } = await takeWhole(numbers(1000), { rowSize: 10 });
    expect(await ended).toEqual({ state: 'complete', rows: 1000 });
    expect(stream.closed).toBe(true);
  });
});

describe('a later page', () => {
  it('has the same bytes every time, also after a restart', async () => {
    const { answer, snapshots, ended } = await takeWhole(numbers(100), { rowSize: 10 });
    await ended;
    const first = await snapshots.read(idOf(answer), request(0, 10));
    expect(first).toMatchObject({ kind: 'page', page: pageOf(answer) });
    const read = () => openSnapshots().read(idOf(answer), request(30, 10));
    expect(await read()).toEqual(await snapshots.read(idOf(answer), request(30, 10)));
    expect(await read()).toMatchObject({ manifest: { ...owner, createdAt: setting.clock } });
  });

  it('starts at any row and has any size', async () => {
    const { answer, snapshots } = await takeWhole(numbers(1000, 7), { rowSize: 10 });
    for (const [rowIndex, rowSize] of [
      [0, 1],
      [999, 1],
      [990, 10],
      [991, 10],
      [17, 333],
      [0, 1000],
      [0, 5000],
      [500, 7],
    ] as const) {
      const end = Math.min(rowIndex + rowSize, 1000);
      expect(await ids(snapshots, answer, rowIndex, rowSize)).toEqual({ ids: range(rowIndex, end), hasMore: end < 1000 });
    }
  });

  it('is empty after the last row', async () => {
    const { answer, snapshots } = await takeWhole(numbers(100), { rowSize: 10 });
    for (const rowIndex of [100, 101, 1e9, Number.MAX_SAFE_INTEGER]) {
      const page = await snapshots.read(idOf(answer), request(rowIndex, 10));
      expect(page).toMatchObject({ kind: 'page', page: { rowCount: 0, nextRowIndex: rowIndex, hasMore: false } });
    }
  });

  it('waits for a slow drain, in this process and in another', async () => {
    async function* rows() {
      for (let at = 0; at < 50; at += 5) {
        yield rowsOf(at, at + 5);
        await delay(15);
      }
    }
    const { answer, snapshots } = await takeWhole(rows(), { rowSize: 3 });
    const elsewhere = openSnapshots();
    const [here, there] = await Promise.all([ids(snapshots, answer, 30, 15), ids(elsewhere, answer, 30, 15)]);
    expect(here).toEqual({ ids: range(30, 45), hasMore: true });
    expect(there).toEqual(here);
    expect(await ids(snapshots, answer, 45, 5)).toEqual({ ids: range(45, 50), hasMore: false });
  });

  it('stops waiting when the reader aborts', async () => {
    const { answer, snapshots } = await takeWhole(hangAfter(20), { rowSize: 10 });
    const abort = new AbortController();
    const read = (from: Snapshots) => from.read(idOf(answer), { ...request(15, 10), signal: abort.signal });
    const waiting = Promise.allSettled([read(snapshots), read(openSnapshots())]);
    setTimeout(() => abort.abort(new Error('left')), 50);
    expect((await waiting).map((result) => result.status)).toEqual(['rejected', 'rejected']);
  });

  it('stops waiting when the reader aborts at any step before the wait', async () => {
    const { answer, snapshots } = await takeWhole(hangAfter(20), { rowSize: 10 });
    const abortedAfter = async (turns: number) => {
      const abort = new AbortController();
      const reading = snapshots.read(idOf(answer), { ...request(15, 10), signal: abort.signal });
      reading.catch(() => undefined);
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      abort.abort(new Error('left'));
      await expect(reading).rejects.toThrow('left');
    };
    for (let turns = 0; turns < 40; turns++) await abortedAfter(turns);
  });

  it('is returned once its rows are written, while the drain still runs', async () => {
    const { answer, snapshots } = await takeWhole(hangAfter(20), { rowSize: 10 });
    expect(await ids(snapshots, answer, 5, 14)).toEqual({ ids: range(5, 19), hasMore: true });
  });

  it('is gone if a sweeper removes it while a reader waits', async () => {
    const { answer } = await takeWhole(hangAfter(20), { rowSize: 10 });
    const waiting = openSnapshots().read(idOf(answer), request(15, 10));
    await delay(50);
    await storageIn(setting.folder).remove(idOf(answer));
    expect(await waiting).toEqual({ kind: 'gone' });
  });

  it('is gone for an unknown id, and no id refers to a file outside the folder', async () => {
    const snapshots = openSnapshots();
    for (const id of ['ab'.repeat(16), '', '..', '../x', 'AB'.repeat(16), `${'ab'.repeat(16)}/..`]) {
      expect(await snapshots.read(id, request(0, 1))).toEqual({ kind: 'gone' });
      expect(await snapshots.manifest(id)).toBeNull();
    }
  });
});
