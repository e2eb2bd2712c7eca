import { startPlainS3 } from '../test/support/services/s3-server.ts';
import { readCpuMicroseconds } from './process-cost.ts';
import { SALES_ROWS, type SalesDatabase } from './sales.ts';
import { type Sluice, startSluice } from './sluice.ts';
import type { Line } from './table.ts';
import { waitForSnapshot, median, fetchPageAt, ROWS } from './walk.ts';

const PAGES = SALES_ROWS / ROWS;
const PAGES_A_ROUND = 40;
const STRIDE = 389; // each page is in another segment than the one before it, and no page repeats until all were read

/** BENCH_OTHER is the `bin/sluice` of another version, whose pages from the disk are compared as well. */
const { BENCH_OTHER: other } = process.env;

/** Measures one caller that reads pages of a finished snapshot, from an S3 server on this machine and from the disk. */
export async function measurePages(disk: Sluice, { url }: SalesDatabase, rounds: number): Promise<readonly Line[]> {
  const s3 = await startPlainS3();
  const inS3 = await startSluice(url, { SLUICE_TRUSTED_PROXIES: 'loopback', ...s3.settings });
  const before = other === undefined ? null : await startSluice(url, { SLUICE_TRUSTED_PROXIES: 'loopback' }, { program: other });
  try {
    const readers: Reader[] = [];
    for (const [name, sluice] of Object.entries({ disk, S3: inS3, before })) {
      if (sluice !== null) readers.push({ name, sluice, code: await waitForSnapshot(sluice) });
    }
    const spread = await measure(readers, rounds, (page) => (page * STRIDE) % PAGES);
    const inOrder = await measure(readers, rounds, (page) => page % PAGES);
    return [
      toLine('page anywhere in a finished snapshot, from S3 to from disk', spread, 'S3', 'disk', 3),
      toLine('pages in order, from S3 to from disk', inOrder, 'S3', 'disk', 3),
      ...(before === null ? [] : [toLine('page from disk, to the other version', spread, 'disk', 'before')]),
    ];
  } finally {
    await Promise.all([inS3.stop(), before?.stop()]);
    await s3.stop();
  }
}

interface Reader {
  readonly name: string;
  readonly sluice: Sluice;
  readonly code: string;
}

interface Cost {
  readonly ms: number;
  readonly microseconds: number; // of the service's processor
}

/** The mean cost of a page per reader, for each round; the readers take turns in being first. */
async function measure(readers: readonly Reader[], rounds: number, pageOf: (count: number) => number) {
  const measured: ReadonlyMap<string, Cost>[] = [];
  for (let round = -1; round < rounds; round++) {
    const costs = new Map<string, Cost>();
    const first = (round + 1) % readers.length;
    for (const reader of [...readers.slice(first), ...readers.slice(0, first)]) {
      const pages = Array.from({ length: PAGES_A_ROUND }, (_, index) => pageOf((round + 1) * PAGES_A_ROUND + index));
      costs.set(reader.name, await measureCost(reader, pages));
    }
    if (round >= 0) measured.push(costs); // one to warm up
  }
  return measured;
}

async function measureCost({ sluice, code }: Reader, pages: readonly number[]): Promise<Cost> {
  const processor = readCpuMicroseconds(sluice.pid);
  let ms = 0;
  for (const page of pages) ms += (await fetchPageAt(sluice, code, page * ROWS)).ms;
  return { ms: ms / pages.length, microseconds: (readCpuMicroseconds(sluice.pid) - processor) / pages.length };
}

function toLine(what: string, rounds: readonly ReadonlyMap<string, Cost>[], ours: string, theirs: string, atMost?: number): Line {
  const valuesOf = (name: string, field: keyof Cost): number[] => rounds.map((round) => round.get(name)?.[field] ?? Number.NaN);
  // Linux counts processor time too roughly for the median of short rounds
  const processor = (name: string): number => valuesOf(name, 'microseconds').reduce((sum, each) => sum + each, 0) / rounds.length;
  const text = (name: string): string => `${median(valuesOf(name, 'ms')).toFixed(1)} ms (CPU ${processor(name).toFixed(0)} µs)`;
  const baseline = valuesOf(theirs, 'ms');
  return {
    what,
    value: median(valuesOf(ours, 'ms').map((ms, round) => ms / (baseline[round] ?? Number.NaN))),
    unit: '×',
    ...(atMost === undefined ? {} : { goal: { atMost } }),
    remark: `${text(ours)} against ${text(theirs)}`,
  };
}
