import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bucket } from '../results/storage/s3/bucket.ts';
import { type MetadataStore, StoreError } from '../store/metadata-store.ts';
import { commandEntry } from './command-entry.ts';
import type { DataFolder } from './data-folder.ts';

export interface ReadinessParts {
  readonly folder: DataFolder;
  readonly store: Pick<MetadataStore, 'ping' | 'transaction'>;
  readonly bucket: Pick<Bucket, 'probe'> | null;
  readonly audit: { readonly isFailing: () => boolean }; // the last entry could not be written
}

/** Rejects with the cause if calls would fail. */
export type Readiness = () => Promise<void>;

const KEPT_MS = 500;
const TIMEOUT_MS = 4_000; // with the kept result, a change shows within 5 s

/**
 * Whether the stores can be written, tried by writing: a row that is always the same, a file that is removed again, an object that is
 * overwritten. Concurrent callers share one check, and its result is kept for a moment, so that callers cannot make it expensive.
 */
export function createReadiness({ folder, store, bucket, audit }: ReadinessParts): Readiness {
  const checks = [
    shareCheck(() => (audit.isFailing() ? tryEntry(store) : store.ping())),
    shareCheck(() => writeProbes(folder)),
    ...(bucket === null ? [] : [shareCheck((signal) => bucket.probe(signal))]),
  ];
  return async () => {
    await Promise.all(checks.map((check) => check()));
  };
}

function shareCheck(check: (signal: AbortSignal) => Promise<void>): Readiness {
  let last: { readonly result: Promise<void>; until: number } | null = null;
  return () => {
    if (last !== null && performance.now() < last.until) return last.result;
    const started = { result: checkInTime(check), until: Number.POSITIVE_INFINITY };
    last = started;
    const onSettled = (): void => {
      started.until = performance.now() + KEPT_MS;
    };
    started.result.then(onSettled, onSettled);
    return started.result;
  };
}

async function checkInTime(check: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new StoreError('unavailable', 'A store did not respond in time.')));
  });
  await Promise.race([check(signal), late]);
}

class Undone extends Error {}

/** An entry that is rolled back. Where entries failed, a small row may still fit into a page that the database has already. */
async function tryEntry({ transaction }: ReadinessParts['store']): Promise<void> {
  const entry = commandEntry('readiness', {});
  try {
    await transaction(async ({ audit }) => {
      await audit.append([entry]);
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}

const PROBE = Buffer.alloc(64 << 10, 1); // more than one audit entry needs

/** On each file system below the data folder. */
async function writeProbes({ path, snapshots, exports, scratch }: DataFolder): Promise<void> {
  const devices = new Set<number>();
  for (const folder of [path, snapshots, exports, scratch]) {
    const { dev } = await stat(folder);
    if (devices.has(dev)) continue;
    devices.add(dev);
    const file = join(folder, `.probe-${process.pid}-${randomUUID().slice(0, 8)}`);
    try {
      await writeFile(file, PROBE, { flag: 'wx', mode: 0o600, flush: true });
    } finally {
      await rm(file, { force: true });
    }
  }
}
