import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry } from '../../test/contracts/metadata-store/fixtures.ts';
import { createDatabase, postgresProblem } from '../../test/support/databases/postgres.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { openPostgresStore } from '../store/sql/postgres/postgres-store.ts';
import { openSqliteStore } from '../store/sql/sqlite/sqlite-store.ts';
import { type AuditArchiveParts, createAuditArchive } from './audit-archive.ts';

const DAY = 86_400_000;
const NOON = Date.parse('2026-11-15T12:00:00Z');
const running = () => false;

let folder: string;
let files: string;
let store: MetadataStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-archive-'));
  files = join(folder, 'archive');
  store = await openSqliteStore(join(folder, 'metadata.sqlite'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const archive = (more: Partial<AuditArchiveParts> = {}) =>
  createAuditArchive({ folder: files, store, process: 'here', now: () => NOON, ...more });
const append = (...times: number[]) => store.audit.append(times.map((at, index) => auditEntry({ at, requestId: `r${index}` })));
const requestsIn = (items: readonly { requestId: string }[]) => items.map(({ requestId }) => requestId);
const left = async () => requestsIn((await store.audit.list({}, { limit: 10_000 })).items);
const linesOf = async (name: string) =>
  gunzipSync(await readFile(join(files, name)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> & { requestId: string } => JSON.parse(line));
const names = async () => (await readdir(files)).toSorted();
const allLines = async () => (await Promise.all((await names()).map(linesOf))).flat();

it('moves each whole day to a private file with all fields, oldest first', async () => {
  await append(NOON - 3 * DAY + 1, NOON - 3 * DAY, NOON - 2 * DAY, NOON - DAY);
  await archive().moveBefore(NOON - DAY, running);
  expect(await names()).toEqual(['audit-2026-11-12.ndjson.gz', 'audit-2026-11-13.ndjson.gz']);
  expect(requestsIn(await linesOf('audit-2026-11-12.ndjson.gz'))).toEqual(['r1', 'r0']);
  expect(await linesOf('audit-2026-11-13.ndjson.gz')).toEqual([
    { ...auditEntry({ requestId: 'r2' }), at: '2026-11-13T12:00:00.000Z', seq: 3 },
  ]);
  expect(await left()).toEqual(['r3']); // its day has not ended
  expect((await stat(join(files, 'audit-2026-11-12.ndjson.gz'))).mode & 0o777).toBe(0o600);
  expect((await stat(files)).mode & 0o777).toBe(0o700);
});

it('creates no file if there is nothing to move', async () => {
  await append(NOON);
  await archive().moveBefore(NOON - DAY, running);
  await expect(readdir(files)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('splits a day that exceeds the size of a file', async () => {
  await append(...Array.from({ length: 2500 }, (_, index) => NOON - 3 * DAY + index));
  await archive({ entriesEach: 1100 }).moveBefore(NOON, running);
  expect(await names()).toEqual(['audit-2026-11-12-2.ndjson.gz', 'audit-2026-11-12-3.ndjson.gz', 'audit-2026-11-12.ndjson.gz']);
  expect(new Set(requestsIn(await allLines())).size).toBe(2500);
  expect(await allLines()).toHaveLength(2500);
  expect(await left()).toEqual([]);
});

it('duplicates but never loses entries when killed between writing and deleting', async () => {
  await append(...Array.from({ length: 1500 }, (_, index) => NOON - 3 * DAY + index));
  let deletions = 0;
  const dying: MetadataStore['audit'] = {
    ...store.audit,
    delete: async (seqs) => {
      if (++deletions > 1) throw new Error('killed');
      await store.audit.delete(seqs);
    },
  };
  await expect(archive({ store: { audit: dying, leases: store.leases } }).moveBefore(NOON, running)).rejects.toThrow('killed');
  expect(await left()).toHaveLength(500);

  await archive().moveBefore(NOON, running);
  expect(await left()).toEqual([]);
  expect(await linesOf('audit-2026-11-12.ndjson.gz')).toHaveLength(1500);
  expect(await linesOf('audit-2026-11-12-2.ndjson.gz')).toHaveLength(500);
});

it('deletes nothing that could not be written, and removes the partial file', async () => {
  await append(NOON - 3 * DAY);
  await writeFile(files, 'a file in the place of the folder');
  await expect(archive().moveBefore(NOON, running)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await left()).toHaveLength(1);

  await rm(files);
  await append(NOON - 2 * DAY);
  const failing = { ...store.audit, listOldest: failingSecondTime(store.audit.listOldest) };
  await expect(archive({ store: { audit: failing, leases: store.leases } }).moveBefore(NOON, running)).rejects.toThrow('away');
  expect(await readdir(files)).toEqual([]);
  expect(await left()).toHaveLength(2);
});

it('removes the partial file of a killed process', async () => {
  await append(NOON - 3 * DAY, NOON - 3 * DAY);
  await archive({ entriesEach: 1 }).moveBefore(NOON, running);
  await writeFile(join(files, 'audit-2026-11-12.abc.unfinished'), 'half');
  await writeFile(join(files, 'other.unfinished'), 'not ours');
  await append(NOON - 2 * DAY);
  await archive().moveBefore(NOON, running);
  expect(await names()).toEqual([
    'audit-2026-11-12-2.ndjson.gz',
    'audit-2026-11-12.ndjson.gz',
    'audit-2026-11-13.ndjson.gz',
    'other.unfinished',
  ]);
});

it('does nothing while another process holds the lease', async () => {
  await append(NOON - 3 * DAY);
  await store.leases.take('audit archive', 'there', { at: NOON, until: NOON + 1000 });
  await archive().moveBefore(NOON, running);
  expect(await left()).toHaveLength(1);
  await archive({ now: () => NOON + 1000 }).moveBefore(NOON, running);
  expect(await left()).toEqual([]);
});

it('stops deleting once another process has taken over', async () => {
  await append(NOON - 3 * DAY);
  const lost = { ...store.leases, take: takenOnce(store.leases.take) };
  await archive({ store: { audit: store.audit, leases: lost } }).moveBefore(NOON, running);
  expect(await left()).toHaveLength(1);
  expect(await allLines()).toHaveLength(1);
});

describe.skipIf(postgresProblem() !== null)('two replicas on one PostgreSQL', () => {
  it('archive each entry once', async () => {
    const url = await createDatabase();
    const [here, there] = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
    try {
      const times = Array.from({ length: 3000 }, (_, index) => NOON - 3 * DAY + index * 20_000);
      await here.audit.append(times.map((at, index) => auditEntry({ at, requestId: `r${index}` })));
      const both = [archive({ store: here }), archive({ store: there, process: 'there' })];
      await Promise.all(both.map((each) => each.moveBefore(NOON, running)));
      const archived = requestsIn(await allLines());
      expect(archived).toHaveLength(new Set(archived).size);
      const remaining = (await here.audit.list({}, { limit: 10_000 })).items;
      expect(archived.length + remaining.length).toBe(3000);
      expect(remaining.every(({ at }) => at >= Date.parse('2026-11-15'))).toBe(true);
    } finally {
      await Promise.all([here.close(), there.close()]);
    }
  });
});

function failingSecondTime(oldest: MetadataStore['audit']['listOldest']): MetadataStore['audit']['listOldest'] {
  let pages = 0;
  return async (before, request) => {
    if (request.limit > 1 && ++pages > 1) throw new Error('the store is away');
    return oldest(before, request);
  };
}

function takenOnce(take: MetadataStore['leases']['take']): MetadataStore['leases']['take'] {
  let takes = 0;
  return async (...words) => ++takes === 1 && take(...words);
}
