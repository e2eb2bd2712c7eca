import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { RecordedAuditEntry } from '../audit/audit-entry.ts';
import { errorCode } from '../core/error-code.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { makeFolder } from './data-folder.ts';

export type AuditArchive = ReturnType<typeof createAuditArchive>;

export interface AuditArchiveParts {
  readonly folder: string;
  readonly store: Pick<MetadataStore, 'audit' | 'leases'>;
  readonly process: string; // unique id of this process
  readonly now: () => number;
  readonly entriesEach?: number; // maximum per file
}

const DAY_MS = 86_400_000;
const LEASE = 'audit archive';
const LEASE_MS = 300_000;
const PAGE = 1000; // entries per read and delete
const PAUSE_MS = 20; // yields to other calls

/**
 * Gzipped NDJSON files, `audit-2026-11-15.ndjson.gz`; further files of a day are numbered. Entries are deleted only after their
 * file is on disk, so a killed process may duplicate entries but never loses any. `seq` identifies duplicates.
 */
export function createAuditArchive(parts: AuditArchiveParts) {
  const { store, now, process } = parts;
  const renewLease = (): Promise<boolean> => store.leases.take(LEASE, process, { at: now(), until: now() + LEASE_MS });

  return {
    /**
     * Moves the entries of whole UTC days before a time to files, unless another process is doing so. Stops early when `isStopped`
     * returns true.
     */
    async moveBefore(at: number, isStopped: () => boolean): Promise<void> {
      const before = startOfDay(at);
      const readOldest = async () => (await store.audit.listOldest(before, { limit: 1 }))[0];
      if ((await readOldest()) === undefined || !(await renewLease())) return;
      try {
        for (let next = await readOldest(); next !== undefined && !isStopped(); next = await readOldest()) {
          if (!(await moveDay(parts, startOfDay(next.at), renewLease))) return;
        }
      } finally {
        await store.leases.release(LEASE, process);
      }
    },
  };
}

const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** Moves the entries of one day, up to one file. Returns false if another process has taken over. */
async function moveDay(parts: AuditArchiveParts, day: number, renewLease: () => Promise<boolean>): Promise<boolean> {
  const { audit } = parts.store;
  const folder = resolve(parts.folder);
  const seqs: number[] = [];
  const max = parts.entriesEach ?? 100_000;
  async function* lines(): AsyncGenerator<string> {
    let page: readonly RecordedAuditEntry[] = [];
    do {
      const behind = page.at(-1);
      const limit = Math.min(PAGE, max - seqs.length);
      page = await audit.listOldest(day + DAY_MS, { limit, ...(behind === undefined ? {} : { behind }) });
      seqs.push(...page.map(({ seq }) => seq));
      yield page.map((entry) => `${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() })}\n`).join('');
    } while (page.length > 0 && seqs.length < max);
  }
  await writeFile(folder, new Date(day).toISOString().slice(0, 10), lines());
  for (let start = 0; start < seqs.length; start += PAGE) {
    if (!(await renewLease())) return false;
    await audit.delete(seqs.slice(start, start + PAGE));
    await delay(PAUSE_MS);
  }
  return true;
}

async function writeFile(folder: string, day: string, lines: AsyncIterable<string>): Promise<void> {
  makeFolder(folder);
  await removeDrafts(folder);
  const draft = join(folder, `audit-${day}.${randomBytes(6).toString('hex')}${DRAFT}`);
  try {
    await pipeline(Readable.from(lines), createGzip(), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
    await place(draft, (number) => join(folder, `audit-${day}${number === 1 ? '' : `-${number}`}.ndjson.gz`));
  } finally {
    await rm(draft, { force: true });
  }
  const entries = await open(folder);
  await entries.sync().finally(() => entries.close()); // makes the new name durable
}

const DRAFT = '.unfinished';

/**
 * Removes partial files of killed processes. A process that was only suspended fails to link its file then, and deletes nothing.
 */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('audit-') && name.endsWith(DRAFT)) await rm(join(folder, name), { force: true });
  }
}

/** Uses the first free name: files are never overwritten. */
async function place(draft: string, nameOf: (number: number) => string): Promise<void> {
  for (let number = 1; ; number++) {
    try {
      await link(draft, nameOf(number));
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}
