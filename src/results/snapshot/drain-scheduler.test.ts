import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Rows } from '../../../test/support/results/row-stream-of.ts';
import {
  idOf,
  ids,
  openSnapshots,
  owner,
  range,
  request,
  setting,
  takeWhole,
  withSnapshotFolder,
} from '../../../test/support/results/snapshots-under-test.ts';
import { type DrainBounds, drainBounds, type Load } from './drain-scheduler.ts';
import type { Snapshots, SnapshotsOptions } from './snapshots.ts';
import type { TakeResult, TakeOptions } from './take.ts';

withSnapshotFolder();

const KIB = 2 ** 10;
const bounds: DrainBounds = {
  ...drainBounds,
  promptBytes: 128 * KIB,
  aheadBytes: 1024 * KIB,
  backgroundBytes: 4096 * KIB,
};
const SOME = 3000; // rows of 1 KiB: more than is read ahead
const FIRST = { rowSize: 10 };

describe('a drain of a busy process', () => {
  it('stops soon after the first page, and then a larger distance ahead of its reader', async () => {
    const { snapshots } = busy();
    const { source, answer } = await began(snapshots, SOME);
    await isStill(source, 130, 260);
    expect(await ids(snapshots, answer, 500, 10)).toEqual({ ids: range(500, 510), hasMore: true });
    await isStill(source, 1500, 1900);
    expect(await ids(snapshots, answer, SOME - 5, 10)).toEqual({ ids: range(SOME - 5, SOME), hasMore: false });
  });

  it('reads small results to their end', async () => {
    const { snapshots } = busy();
    for (const rows of [50, 120]) {
      const { ended } = await began(snapshots, rows);
      expect(await ended).toEqual({ state: 'complete', rows });
    }
  });

  it('does not stop for a query with an Epilogue, nor where waiting would block others', async () => {
    const { snapshots } = busy();
    const whole = await began(snapshots, SOME, { wholeBeforeFirstPage: true });
    expect(await whole.ended).toEqual({ state: 'complete', rows: SOME });
    const { ended } = await began(snapshots, SOME, { mayPause: false });
    expect(await ended).toEqual({ state: 'complete', rows: SOME });
  });

  it('resumes when its execution is cancelled, so that it ends', async () => {
    const { snapshots } = busy();
    const cancel = new AbortController();
    const { source, ended } = await began(snapshots, SOME, { signal: cancel.signal });
    await isStill(source, 130, 260);
    cancel.abort();
    await ended;
  });

  it('ends with the process: what can be read within the grace is complete', async () => {
    const { snapshots } = busy();
    const { source, ended } = await began(snapshots, SOME);
    await isStill(source, 130, 260);
    await snapshots.close({ graceMs: 10_000 });
    expect(await ended).toEqual({ state: 'complete', rows: SOME });
  });

  it('follows a reader of another process', async () => {
    const { snapshots } = busy();
    const { source, answer } = await began(snapshots, SOME);
    await isStill(source, 130, 260);
    const elsewhere = openSnapshots({ drainBounds: bounds });
    expect(await ids(elsewhere, answer, 500, 10)).toEqual({ ids: range(500, 510), hasMore: true });
    await isStill(source, 1500, 1900);
    setting.clock += 2_000;
    expect(await ids(elsewhere, answer, 2000, 10)).toEqual({ ids: range(2000, 2010), hasMore: true });
    await isStill(source, 2900, SOME);
  });
});

describe('an idle process', () => {
  it('reads a result to its end without further requests', async () => {
    const snapshots = openSnapshots({ drainBounds: bounds });
    const { ended, answer } = await began(snapshots, SOME);
    expect(await ended).toEqual({ state: 'complete', rows: SOME });
    setting.clock += 10 * 60_000;
    expect(await ids(snapshots, answer, 10, 10)).toEqual({ ids: range(10, 20), hasMore: true });
  });

  it('reads a single one to its end however large it is, and several up to a bound', async () => {
    const snapshots = openSnapshots({ drainBounds: bounds });
    const large = await began(snapshots, 5000);
    expect(await large.ended).toEqual({ state: 'complete', rows: 5000 });
    const next = await began(snapshots, SOME);
    await isStill(next.source, 130, 260);
    expect(await ids(snapshots, large.answer, 10, 10)).toMatchObject({ hasMore: true }); // a reader has requested it
    expect(await next.ended).toEqual({ state: 'complete', rows: SOME });
  });
});

describe('a drain without requests', () => {
  it('is abandoned when too many wait, the one with the oldest request first', async () => {
    const { snapshots } = busy({ maxPaused: 2 });
    const drains = [];
    for (let count = 0; count < 3; count++) {
      setting.clock += 1000;
      const begun = await began(snapshots, SOME);
      await isStill(begun.source, 130, 260);
      drains.push(begun);
    }
    const [first, second, third] = drains;
    expect(await first?.ended).toMatchObject({ state: 'given-up' });
    expect(first?.stream.closed).toBe(true);
    expect([second?.outcome(), third?.outcome()]).toEqual([undefined, undefined]);
    for (const rowIndex of [10, 2000]) expect(await read(snapshots, first?.answer, rowIndex)).toEqual({ kind: 'given-up' });
    expect(await read(openSnapshots(), first?.answer, 10)).toEqual({ kind: 'given-up' });
    expect(await readdir(join(setting.folder, idOf(first?.answer as TakeResult)))).not.toContain('rows');
    expect(await read(snapshots, second?.answer, 10)).toMatchObject({ kind: 'page', page: { hasMore: true } });
  });

  it('is abandoned when a call waits for its slot, starting with the user who has the most', async () => {
    const { snapshots, load } = busy();
    const others = await began(snapshots, SOME, { owner: { ...owner, userId: 'u2' } });
    setting.clock += 1000;
    const first = await began(snapshots, SOME);
    setting.clock += 1000;
    const second = await began(snapshots, SOME);
    const elsewhere = await began(snapshots, SOME, { source: 'd2', owner: { ...owner, userId: 'u1' } });
    for (const { source } of [others, first, second, elsewhere]) await isStill(source, 130, 260);
    load.wantedAt = 'd1';
    load.wait();
    load.wait(); // it leaves already
    expect(await first.ended).toMatchObject({ state: 'given-up' });
    load.wantedAt = '';
    await delay(300);
    expect([others, second, elsewhere].map(({ outcome }) => outcome())).toEqual([undefined, undefined, undefined]);
  });

  it('is read to its end instead where its reader came a moment ago', async () => {
    const { snapshots, load } = busy();
    const { source, answer, ended } = await began(snapshots, SOME);
    await isStill(source, 130, 260);
    await ids(snapshots, answer, 10, 10);
    load.wantedAt = 'd1';
    load.wait();
    expect(await ended).toEqual({ state: 'complete', rows: SOME });
  });

  it('is abandoned after a minute; its stored rows remain readable and are not reported as the whole result', async () => {
    const { snapshots } = busy();
    const { source, answer, ended, outcome } = await began(snapshots, SOME);
    await isStill(source, 130, 260);
    setting.clock += 59_000;
    await delay(250);
    expect(outcome()).toBeUndefined();
    setting.clock += 2_000;
    expect(await ended).toMatchObject({ state: 'given-up' });
    const { rows = 0 } = outcome() ?? {};
    expect(rows).toBeGreaterThan(100);
    expect(await ids(snapshots, answer, rows - 5, 10)).toEqual({ ids: range(rows - 5, rows), hasMore: true });
    expect(await read(snapshots, answer, rows)).toEqual({ kind: 'given-up' });
    expect(await snapshots.findShared('key', 1000)).toBeNull();
  });

  it('deletes the rows when many drains are abandoned', async () => {
    const { snapshots } = busy({ maxPaused: 100, drainBounds: { ...bounds, backgroundBytes: 600 * KIB } });
    const drains = [];
    for (let count = 0; count < 7; count++) drains.push(await began(snapshots, SOME));
    for (const { source } of drains) await isStill(source, 130, 260);
    setting.clock += 61_000;
    await Promise.all(drains.map(({ ended }) => ended));
    const sizes = drains.map(({ answer }) => stat(join(setting.folder, idOf(answer), 'rows')).catch(() => null));
    const left = (await Promise.all(sizes)).filter((each) => each !== null);
    expect(left.length).toBeGreaterThan(0);
    expect(left.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(900 * KIB);
  });

  it('is abandoned when its space is needed', async () => {
    const { snapshots } = busy({ maxBytesAll: 3200 * KIB });
    const first = await began(snapshots, SOME);
    await isStill(first.source, 130, 260);
    const second = await began(snapshots, SOME);
    await isStill(second.source, 130, 260);
    expect(await ids(snapshots, second.answer, SOME - 5, 10)).toEqual({ ids: range(SOME - 5, SOME), hasMore: false });
    expect(await first.ended).toMatchObject({ state: 'given-up' });
    expect(await read(snapshots, first.answer, 10)).toEqual({ kind: 'given-up' });
  });

  it('is read to its end instead where calls share it', async () => {
    const { snapshots, load } = busy();
    const options = { keepUntil: setting.clock + 60 * 60_000 };
    const [first, second] = [await began(snapshots, SOME, options), await began(snapshots, SOME, options)];
    for (const { source } of [first, second]) await isStill(source, 130, 260);
    load.wantedAt = 'd1';
    load.wait();
    load.wantedAt = '';
    expect(await first.ended).toEqual({ state: 'complete', rows: SOME });
    expect(second.outcome()).toBeUndefined();
    setting.clock += 61_000;
    expect(await second.ended).toEqual({ state: 'complete', rows: SOME });
  });

  it('is not abandoned while its reader returns, and is read to its end before the time limit of the database', async () => {
    const { snapshots } = busy();
    const { source, answer, ended, outcome } = await began(snapshots, SOME);
    await isStill(source, 130, 260);
    for (let minute = 0; minute < 10; minute++) {
      expect(outcome()).toBeUndefined();
      setting.clock += 50_000;
      await ids(snapshots, answer, 10, 10);
      await delay(150);
    }
    setting.clock += 59_000;
    await ids(snapshots, answer, 10, 10);
    setting.clock += 59_000;
    expect(await ended).toEqual({ state: 'complete', rows: SOME });
  });
});

/** A process in which other calls run all the time. */
function busy(options: Partial<SnapshotsOptions> = {}) {
  const load: Load & { wantedAt: string; wait: () => void } = {
    wantedAt: '',
    wait: () => undefined,
    counts: () => ({ running: 100, waiting: 0 }),
    countWaiting: (source: string) => (source === load.wantedAt ? 1 : 0),
    onWait: (listener: () => void) => {
      load.wait = listener;
    },
  };
  return { load, snapshots: openSnapshots({ load, drainBounds: bounds, ...options }) };
}

async function began(snapshots: Snapshots, rows: number, options: Partial<TakeOptions> = {}) {
  const source = new Source(rows);
  return { source, ...(await takeWhole(source.batches(), { ...FIRST, ...options }, snapshots)) };
}

/** Rows of 1 KiB, and how many were read. */
class Source {
  read = 0;
  readonly #rows: number;

  constructor(rows: number) {
    this.#rows = rows;
  }

  async *batches(): AsyncGenerator<Rows> {
    for (; this.read < this.#rows; await delay(0)) {
      const batch = range(this.read, Math.min(this.read + 20, this.#rows));
      this.read += batch.length;
      yield batch.map((id) => [id, 'x'.repeat(KIB)]);
    }
  }
}

async function isStill(source: Source, atLeast: number, atMost: number): Promise<void> {
  await vi.waitFor(() => expect(source.read).toBeGreaterThanOrEqual(atLeast), { timeout: 10_000 });
  await delay(150);
  expect(source.read).toBeLessThanOrEqual(atMost);
}

const read = (snapshots: Snapshots, answer: TakeResult | undefined, rowIndex: number) =>
  snapshots.read(idOf(answer as TakeResult), request(rowIndex, 10));
