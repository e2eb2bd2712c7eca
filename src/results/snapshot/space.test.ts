import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  idOf,
  ids,
  manyRows,
  memory,
  numbers,
  openSnapshots,
  range,
  request,
  rowsOf,
  setting,
  hangAfter,
  takeWhole,
  startTake,
  withSnapshotFolder,
} from '../../../test/support/results/snapshots-under-test.ts';
import type { TakeResult } from './take.ts';

withSnapshotFolder();

describe('time and space', () => {
  it('expires thirty minutes after the last use', async () => {
    const { answer, snapshots, ended } = await takeWhole(numbers(100), { rowSize: 10 });
    await ended;
    for (let use = 0; use < 3; use++) {
      setting.clock += 29 * 60_000;
      expect(await snapshots.read(idOf(answer), request(10, 1))).toMatchObject({ kind: 'page' });
    }
    setting.clock += 31 * 60_000;
    expect(await snapshots.read(idOf(answer), request(10, 1))).toEqual({ kind: 'expired' });
    expect(await snapshots.sweep()).toMatchObject({ removed: 1, bytes: 0 });
    expect(await snapshots.read(idOf(answer), request(10, 1))).toEqual({ kind: 'gone' });
    expect(await readdir(setting.folder)).toEqual([]);
  });

  it('removes the least recently used snapshots above the bound on all', async () => {
    const snapshots = openSnapshots();
    const answers: TakeResult[] = [];
    for (let count = 0; count < 3; count++) {
      setting.clock += 60_000;
      const { answer, ended } = await takeWhole(numbers(100), { rowSize: 10 }, snapshots);
      await ended;
      answers.push(answer);
    }
    const [first, second, third] = answers.map(idOf);
    setting.clock += 60_000;
    await snapshots.read(first ?? '', request(0, 1));
    const { bytes } = await snapshots.sweep();
    expect(await openSnapshots({ maxBytesAll: bytes - 1 }).sweep()).toMatchObject({ removed: 1, bytes: (bytes / 3) * 2 });
    expect(await snapshots.read(second ?? '', request(0, 1))).toEqual({ kind: 'given-up' });
    for (const id of [first, third]) expect(await snapshots.read(id ?? '', request(0, 1))).toMatchObject({ kind: 'page' });
    setting.clock += 31 * 60_000;
    expect(await snapshots.sweep()).toMatchObject({ removed: 3, bytes: 0 });
    expect(await readdir(setting.folder)).toEqual([]);
  });

  it('first removes snapshots that were not read after their first page, unless they are shared', async () => {
    const snapshots = openSnapshots();
    const followed = await takeWhole(numbers(100), { rowSize: 10 }, snapshots);
    const shared = await takeWhole(numbers(100), { rowSize: 10, keepUntil: setting.clock + 60 * 60_000 }, snapshots);
    await Promise.all([followed.ended, shared.ended]);
    await snapshots.read(idOf(followed.answer), request(10, 1));
    setting.clock += 60_000;
    const abandoned = await takeWhole(numbers(100), { rowSize: 10 }, snapshots);
    await abandoned.ended;
    const { bytes } = await snapshots.sweep();
    expect(await openSnapshots({ maxBytesAll: bytes - 1 }).sweep()).toMatchObject({ removed: 1 });
    expect(await snapshots.read(idOf(abandoned.answer), request(10, 1))).toEqual({ kind: 'given-up' });
  });

  it('keeps a shared snapshot and its mark while it is shared, used or not', async () => {
    const keepUntil = setting.clock + 60 * 60_000;
    const begun = setting.clock;
    const { answer, snapshots, ended } = await takeWhole(numbers(5), { rowSize: 10, keepUntil });
    expect(await ended).toEqual({ state: 'complete', rows: 5 });
    await snapshots.share('key', idOf(answer), begun);
    await snapshots.share('other', 'f'.repeat(32), begun);
    setting.clock += 59 * 60_000;
    expect(await snapshots.sweep()).toMatchObject({ removed: 0 });
    expect((await readdir(setting.folder)).sort()).toEqual([idOf(answer), 'shared-key'].sort());
    expect(await openSnapshots().findShared('key', 60 * 60_000)).toEqual({ id: idOf(answer), at: begun });
    expect(await snapshots.findShared('key', 58 * 60_000)).toBeNull();
    expect(await ids(openSnapshots(), answer, 3, 10)).toEqual({ ids: [3, 4], hasMore: false });
    setting.clock += 31 * 60_000;
    expect(await snapshots.sweep()).toMatchObject({ removed: 1 });
    expect(await snapshots.sweep()).toMatchObject({ removed: 0 });
    expect(await readdir(setting.folder)).toEqual([]);
  });

  it('shares the newest snapshot, and none that lacks rows', async () => {
    const whole = await takeWhole(numbers(100), { keepUntil: setting.clock + 60_000 });
    const { snapshots } = whole;
    const bounded = await takeWhole(numbers(100), { maxRows: 50, keepUntil: setting.clock + 60_000 }, snapshots);
    const growing = await takeWhole(hangAfter(20), { keepUntil: setting.clock + 60_000 }, snapshots);
    await Promise.all([whole.ended, bounded.ended]);
    const sharing = async (answer: TakeResult, at: number) => {
      await snapshots.share('key', idOf(answer), at);
      return snapshots.findShared('key', 60_000);
    };
    expect(await sharing(whole.answer, setting.clock)).toMatchObject({ id: idOf(whole.answer) });
    expect(await sharing(growing.answer, setting.clock - 1)).toMatchObject({ id: idOf(whole.answer) });
    expect(await sharing(bounded.answer, setting.clock)).toBeNull();
    expect(await sharing(growing.answer, setting.clock)).toMatchObject({ id: idOf(growing.answer) });
    await snapshots.close({ graceMs: 0 });
    expect(await openSnapshots().findShared('key', 60_000)).toBeNull();
  });

  it('removes folders that never became a snapshot, but not those being filled', async () => {
    const { answer, ended } = await takeWhole(numbers(100), { rowSize: 10 });
    await ended;
    await rm(join(setting.folder, idOf(answer), 'manifest.json'));
    const running = await takeWhole(hangAfter(20), { rowSize: 10 });
    expect(await openSnapshots({ maxBytesAll: 0 }).sweep()).toMatchObject({ removed: 1 });
    expect(await readdir(setting.folder)).toEqual([idOf(running.answer)]);
  });

  it('drains a million rows in bounded memory without blocking the event loop', async () => {
    let rows = 0; // since the last turn of the event loop
    let mostRows = 0;
    let peak = 0;
    const before = memory();
    async function* counted() {
      for await (const batch of manyRows(1_000_000)) {
        rows += batch.length;
        yield batch;
      }
    }
    const turned = (): void => {
      mostRows = Math.max(mostRows, rows);
      rows = 0;
      peak = Math.max(peak, memory() - before);
      turn = setImmediate(turned);
    };
    let turn = setImmediate(turned);
    const { answer, snapshots, ended } = await takeWhole(counted(), { rowSize: 1000 });
    expect(await ended).toEqual({ state: 'complete', rows: 1_000_000 });
    clearImmediate(turn);
    expect(await ids(snapshots, answer, 999_998, 10)).toEqual({ ids: [999_998, 999_999], hasMore: false });
    expect(peak).toBeLessThan(64 * 2 ** 20);
    expect(mostRows).toBeLessThan(100_000);
  });
});

describe('closing', () => {
  it('waits for drains within the grace period', async () => {
    async function* rows() {
      yield rowsOf(0, 20);
      await delay(50);
      yield rowsOf(20, 30);
    }
    const { answer, snapshots } = await takeWhole(rows(), { rowSize: 10 });
    await snapshots.close({ graceMs: 5000 });
    expect(await ids(openSnapshots(), answer, 20, 20)).toEqual({ ids: range(20, 30), hasMore: false });
  });

  it('stops the others, which are then incomplete', async () => {
    const { answer, snapshots, outcome, stream } = await takeWhole(hangAfter(20), { rowSize: 10 });
    const waiting = ids(snapshots, answer, 15, 10);
    await snapshots.close({ graceMs: 10 });
    expect(outcome()).toMatchObject({ state: 'failed', rows: 20 });
    expect(stream.closed).toBe(true);
    expect(await waiting).toEqual({ ids: range(15, 20), hasMore: true });
    expect(await openSnapshots().read(idOf(answer), request(20, 1))).toEqual({
      kind: 'incomplete',
      reason: expect.stringContaining('stopped'),
    });
  });

  it('rejects calls without a first page yet, and later calls', async () => {
    const { answer, snapshots } = await startTake(hangAfter(5), { rowSize: 10 });
    const refused = expect(answer).rejects.toThrow('stopped');
    await snapshots.close({ graceMs: 0 });
    await refused;
    await expect((await startTake(numbers(5), { rowSize: 10 }, snapshots)).answer).rejects.toThrow('stopped');
  });
});
