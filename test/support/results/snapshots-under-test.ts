import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { classifyColumns } from '../../../src/charts/classify.ts';
import type { Column } from '../../../src/core/column.ts';
import { labelColumns } from '../../../src/results/columns.ts';
import { createSnapshots, type Snapshots, type SnapshotsOptions } from '../../../src/results/snapshot/snapshots.ts';
import type { TakeResult, TakeOptions, TakeOutcome } from '../../../src/results/snapshot/take.ts';
import { createDiskSnapshots } from '../../../src/results/storage/disk-snapshots.ts';
import { type Rows, rowStreamOf } from './row-stream-of.ts';

/** The snapshot folder and the clock of a test. */
export const setting = { folder: '', clock: 0 };
const open: Snapshots[] = [];

/** Creates a folder for each test of the calling suite. */
export function withSnapshotFolder(): void {
  beforeEach(async () => {
    setting.folder = await mkdtemp(join(tmpdir(), 'snapshots-'));
    setting.clock = Date.now();
  });
  afterEach(async () => {
    for (const snapshots of open.splice(0)) await snapshots.close({ graceMs: 0 });
    await rm(setting.folder, { recursive: true, force: true });
  });
}

const columns: readonly Column[] = [
  { name: 'id', type: 'int4', kind: 'integer' },
  { name: 'name', type: 'text', kind: 'text' },
];
export const owner = { userId: 'u1', queryId: 'q1', queryName: 'QD_numbers', queryVersion: 3 };
export const request = (rowIndex: number, rowSize: number, maxPageBytes = 16 * 2 ** 20) => ({ rowIndex, rowSize, maxPageBytes });

export const storageIn = (folder: string) => createDiskSnapshots({ folder, now: () => setting.clock });

export function openSnapshots(options: Partial<SnapshotsOptions> = {}): Snapshots {
  const snapshots = createSnapshots({ storage: storageIn(setting.folder), now: () => setting.clock, ...options });
  open.push(snapshots);
  return snapshots;
}

export type Batches = Iterable<Rows> | AsyncIterable<Rows>;

export async function startTake(
  batches: Batches,
  options: Partial<TakeOptions>,
  using: Snapshots | Partial<SnapshotsOptions> = {},
  of = columns,
) {
  const snapshots = 'take' in using ? using : openSnapshots(using);
  const stream = rowStreamOf(of, batches);
  const ended = Promise.withResolvers<TakeOutcome>();
  let outcome: TakeOutcome | undefined;
  const labeled = labelColumns(of, []);
  const answer = snapshots.take(stream, {
    owner,
    source: 'd1',
    columns: labeled,
    classified: true,
    classify: (seen) => classifyColumns(labeled, [], seen),
    ...request(0, 10),
    wholeBeforeFirstPage: false,
    onEnd: (end) => {
      expect(outcome).toBeUndefined();
      outcome = end;
      ended.resolve(end);
    },
    ...options,
  });
  return { answer, snapshots, stream, ended: ended.promise, outcome: () => outcome };
}

export async function takeWhole(...given: Parameters<typeof startTake>) {
  const { answer, ...rest } = await startTake(...given);
  return { answer: await answer, ...rest };
}

export const range = (from: number, to: number) => Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index);
export const rowsOf = (from: number, to: number): Rows => range(from, to).map((id) => [id, `row ${id}`]);

export function* numbers(count: number, size = 8) {
  for (let at = 0; at < count; at += size) yield rowsOf(at, Math.min(at + size, count));
}

export const manyRows = (count: number) => numbers(count, 1000);

export async function* hangAfter(count: number) {
  yield rowsOf(0, count);
  await new Promise(() => undefined);
}

export async function* failAfter(count: number) {
  yield* numbers(count, 5);
  throw new Error('secret detail');
}

export function pageOf(answer: TakeResult) {
  if (answer.kind !== 'page') throw new Error(answer.reason);
  return answer.page;
}

export function idOf(answer: TakeResult): string {
  if (answer.kind !== 'page' || !answer.snapshotId) throw new Error('no snapshot');
  return answer.snapshotId;
}

export const parseIds = (rows: Buffer) => JSON.parse(`[${rows}]`).map((row: { id: number }) => row.id);
export const idsOf = (answer: TakeResult) => parseIds(pageOf(answer).rows);

export async function ids(snapshots: Snapshots, answer: TakeResult, rowIndex: number, rowSize: number, maxPageBytes?: number) {
  const found = await snapshots.read(idOf(answer), request(rowIndex, rowSize, maxPageBytes));
  if (found.kind !== 'page') throw new Error(JSON.stringify(found));
  return { ids: parseIds(found.page.rows), hasMore: found.page.hasMore };
}

export const memory = () => process.memoryUsage().arrayBuffers + process.memoryUsage().external;
