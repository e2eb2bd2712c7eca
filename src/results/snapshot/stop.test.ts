import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  failAfter,
  idOf,
  ids,
  idsOf,
  numbers,
  openSnapshots,
  owner,
  range,
  request,
  rowsOf,
  setting,
  storageIn,
  takeWhole,
  startTake,
  withSnapshotFolder,
} from '../../../test/support/results/snapshots-under-test.ts';
import { CellTooLargeError } from '../encode/json-rows.ts';

withSnapshotFolder();

describe('a bound', () => {
  it('on the rows of the query returns the rows before it with a continuation, then an error', async () => {
    const { answer, snapshots, ended } = await takeWhole(numbers(100), { rowSize: 10, maxRows: 25 });
    expect(await ended).toMatchObject({ state: 'bounded', rows: 25 });
    expect(await ids(snapshots, answer, 20, 10)).toEqual({ ids: range(20, 25), hasMore: true });
    expect(await snapshots.read(idOf(answer), request(25, 10))).toEqual({
      kind: 'incomplete',
      reason: expect.stringContaining('25 rows'),
    });
    expect(await snapshots.read(idOf(answer), request(70, 10))).toMatchObject({ kind: 'incomplete' });
  });

  it('within the first page ends that page', async () => {
    const { answer, snapshots } = await takeWhole(numbers(100), { rowSize: 10, maxRows: 5 });
    expect(answer).toMatchObject({ page: { rowCount: 5, nextRowIndex: 5, hasMore: true } });
    expect(await snapshots.read(idOf(answer), request(5, 10))).toMatchObject({ kind: 'incomplete' });
  });

  it('that the result meets exactly has no effect', async () => {
    const { answer, snapshots } = await takeWhole(numbers(25), { rowSize: 10, maxRows: 25 });
    expect(await ids(snapshots, answer, 20, 10)).toEqual({ ids: range(20, 25), hasMore: false });
    expect((await takeWhole(numbers(5), { rowSize: 10, maxRows: 5 })).answer).toMatchObject({
      snapshotId: null,
      page: { hasMore: false },
    });
  });

  it('before the requested rows leaves no page', async () => {
    const { answer, stream } = await takeWhole(numbers(100), { rowIndex: 30, rowSize: 10, maxRows: 25 });
    expect(answer).toMatchObject({ kind: 'incomplete' });
    expect(stream.closed).toBe(true);
    expect(await readdir(setting.folder)).toEqual([]);
  });

  it('also applies to the rows and the bytes of a snapshot', async () => {
    const byRows = await takeWhole(numbers(100), { rowSize: 10 }, { maxRowsEach: 30 });
    expect(await ids(byRows.snapshots, byRows.answer, 20, 20)).toEqual({ ids: range(20, 30), hasMore: true });
    const byBytes = await takeWhole(numbers(100), { rowSize: 10 }, { maxBytesEach: 600 });
    expect(await byBytes.ended).toMatchObject({ state: 'bounded' });
    const size = (await stat(join(setting.folder, idOf(byBytes.answer), 'rows'))).size;
    expect(size).toBeGreaterThan(500);
    expect(size).toBeLessThanOrEqual(600);
    expect(await byBytes.snapshots.read(idOf(byBytes.answer), request(90, 1))).toMatchObject({ kind: 'incomplete' });
  });

  it('on all snapshots removes old ones, and ends the result if that is not enough', async () => {
    const snapshots = openSnapshots({ maxBytesAll: 30_000 });
    const old = await takeWhole(numbers(500), { rowSize: 10 }, snapshots);
    await old.ended;
    setting.clock += 1000;
    const fresh = await takeWhole(numbers(500), { rowSize: 10 }, snapshots);
    expect(await fresh.ended).toMatchObject({ state: 'complete' });
    expect(await snapshots.read(idOf(old.answer), request(0, 1))).toEqual({ kind: 'given-up' });
    const large = await takeWhole(numbers(100_000), { rowSize: 10 }, snapshots);
    expect(await large.ended).toMatchObject({ state: 'bounded' });
  });

  it("of a user evicts only that user's snapshots, or ends the result", async () => {
    const snapshots = openSnapshots({ maxBytesUser: 30_000 });
    const of = (userId: string) => ({ rowSize: 10, owner: { ...owner, userId } });
    const others = await takeWhole(numbers(500), of('u2'), snapshots);
    await others.ended;
    setting.clock += 1000;
    const old = await takeWhole(numbers(500), of('u1'), snapshots);
    await old.ended;
    setting.clock += 1000;
    const fresh = await takeWhole(numbers(500), of('u1'), snapshots);
    expect(await fresh.ended).toMatchObject({ state: 'complete' });
    expect(await snapshots.read(idOf(old.answer), request(0, 1))).toEqual({ kind: 'given-up' });
    expect(await snapshots.read(idOf(others.answer), request(0, 1))).toMatchObject({ kind: 'page' });

    const large = await takeWhole(numbers(100_000), of('u1'), snapshots);
    expect(await large.ended).toMatchObject({ state: 'bounded', reason: expect.stringContaining('one user') });
    expect(await snapshots.read(idOf(large.answer), request(90_000, 1))).toMatchObject({ kind: 'incomplete' });
    expect((await takeWhole(numbers(100), of('u2'), snapshots)).answer).toMatchObject({ kind: 'page' });
  });
});

describe('a failure', () => {
  it('of the stream before the page is complete rejects and leaves no files', async () => {
    const { stream, answer, outcome } = await startTake(failAfter(9), { rowSize: 10 });
    await expect(answer).rejects.toThrow('secret detail');
    expect(stream.closed).toBe(true);
    expect(outcome()).toMatchObject({ state: 'failed' });
    expect(await readdir(setting.folder)).toEqual([]);
  });

  it.each([10, 25])('after %i rows is reported when the reader reaches it, without detail', async (rows) => {
    const { answer, snapshots, ended, stream } = await takeWhole(
      failAfter(rows),
      { rowSize: 10 },
      { reasonOf: () => 'It broke.' },
    );
    expect(idsOf(answer)).toEqual(range(0, 10));
    expect(await ended).toMatchObject({ state: 'failed', rows, error: new Error('secret detail') });
    expect(stream.closed).toBe(true);
    if (rows > 10) expect(await ids(snapshots, answer, 10, 100)).toEqual({ ids: range(10, rows), hasMore: true });
    for (const reader of [snapshots, openSnapshots()]) {
      expect(await reader.read(idOf(answer), request(rows, 10))).toEqual({ kind: 'incomplete', reason: 'It broke.' });
    }
    expect(await readFile(join(setting.folder, idOf(answer), 'end.json'), 'utf8')).not.toContain('secret');
  });

  it('wakes waiting readers', async () => {
    const gate = Promise.withResolvers<void>();
    async function* rows() {
      yield rowsOf(0, 20);
      await gate.promise;
      throw new Error('secret detail');
    }
    const { answer, snapshots } = await takeWhole(rows(), { rowSize: 10 });
    const waiting = ids(snapshots, answer, 15, 10);
    setTimeout(gate.resolve, 30);
    expect(await waiting).toEqual({ ids: range(15, 20), hasMore: true });
  });

  it('because of a large cell names the column and never truncates', async () => {
    const rows = (large: number) => [range(0, 30).map((id) => [id, id === large ? 'x'.repeat(101) : 'x'])];
    await expect((await startTake(rows(5), { rowSize: 10 }, { maxCellBytes: 100 })).answer).rejects.toThrow(CellTooLargeError);
    const { answer, snapshots } = await takeWhole(rows(15), { rowSize: 10 }, { maxCellBytes: 100 });
    expect(await ids(snapshots, answer, 10, 10)).toEqual({ ids: range(10, 15), hasMore: true });
    const end = await snapshots.read(idOf(answer), request(15, 10));
    expect(end).toEqual({ kind: 'incomplete', reason: expect.stringContaining('"name"') });
  });

  it('of the disk before the first page rejects', async () => {
    const file = join(setting.folder, 'file');
    await writeFile(file, '');
    const { answer, stream } = await startTake(numbers(100), { rowSize: 10 }, { storage: storageIn(file) });
    await expect(answer).rejects.toThrow('kept on disk');
    expect(stream.closed).toBe(true);
  });
});

describe('a query with an Epilogue', () => {
  it('returns a page only when the result is complete', async () => {
    const { answer, outcome, snapshots } = await takeWhole(numbers(100), { rowSize: 10, wholeBeforeFirstPage: true });
    expect(outcome()).toEqual({ state: 'complete', rows: 100 });
    expect(idsOf(answer)).toEqual(range(0, 10));
    expect(await ids(snapshots, answer, 95, 10)).toEqual({ ids: range(95, 100), hasMore: false });
  });

  it('rejects if a later row or the Epilogue fails, and leaves no files', async () => {
    for (const rows of [10, 50]) {
      const { answer } = await startTake(failAfter(rows), { rowSize: 10, wholeBeforeFirstPage: true });
      await expect(answer).rejects.toThrow('secret detail');
    }
    expect(await readdir(setting.folder)).toEqual([]);
  });

  it('reads past a bound to the end, so that the Epilogue runs', async () => {
    for (const rowIndex of [0, 50]) {
      let read = 0;
      function* rows() {
        for (const batch of numbers(100)) {
          yield batch;
          read += batch.length;
        }
      }
      const { answer, outcome } = await takeWhole(rows(), { rowIndex, rowSize: 10, maxRows: 25, wholeBeforeFirstPage: true });
      expect(read).toBe(100);
      expect(outcome()).toMatchObject({ state: 'bounded', rows: 25 });
      expect(answer.kind).toBe(rowIndex === 0 ? 'page' : 'incomplete');
    }
  });
});
