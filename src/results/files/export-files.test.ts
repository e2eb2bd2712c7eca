import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SnapshotStorageError, SpaceExhaustedError } from '../snapshot/stop.ts';
import { createDiskExports } from '../storage/disk-exports.ts';
import { createExportFiles, type ExportAbout, type ExportFilesOptions, exportIdOf } from './export-files.ts';

const about: ExportAbout = {
  userId: 'u1',
  keyId: null,
  forAssistant: false,
  queryName: 'QD_Sales_Demo',
  queryVersion: 3,
  parameters: { '@Region': 'North' },
  format: 'csv',
  fileName: 'Sales.csv',
  mimeType: 'text/csv',
  rowCount: 2,
};

let folder: string;
let now: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exports-'));
  now = Date.now();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const filesOf = (more: Partial<ExportFilesOptions> = {}) =>
  createExportFiles({
    storage: createDiskExports(folder),
    now: () => now,
    maxBytesEach: 1 << 20,
    maxBytesAll: 1 << 20,
    maxBytesUser: 1 << 20,
    ...more,
  });

async function* chunks(...texts: readonly (string | Error)[]) {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield Buffer.from(text);
  }
}
const write = (files = filesOf(), ...texts: readonly (string | Error)[]) =>
  files.write(about.userId, chunks(...(texts.length > 0 ? texts : ['hello ', 'world'])), () => about);
async function textOf(part: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  if (part === null) return null;
  const read: Uint8Array[] = [];
  for await (const chunk of part) read.push(chunk);
  return Buffer.concat(read).toString();
}

it('stores a file with its metadata for every process that shares the folder', async () => {
  const file = await write();
  expect(file).toMatchObject({ ...about, size: 11, expiresAt: now + 600_000, id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  const other = filesOf();
  expect(await other.find(file.id)).toEqual(file);
  expect(await textOf(await other.read(file, 0, 11))).toBe('hello world');
  expect(await textOf(await other.read(file, 6, 9))).toBe('wor');
});

it('finds no other files inside or outside the folder', async () => {
  await write();
  for (const id of ['', '0'.repeat(32), '../secret', 'x']) expect(await filesOf().find(id)).toBeNull();
});

it('leaves nothing of a file that failed, was too large, or had no space', async () => {
  await expect(write(filesOf(), 'some', new Error('broken'))).rejects.toThrow('broken');
  await expect(write(filesOf({ maxBytesEach: 10 }))).rejects.toMatchObject({ failure: { kind: 'SnapshotIncomplete' } });
  await expect(write(filesOf({ maxBytesAll: 5 }))).rejects.toThrow(SpaceExhaustedError);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  await expect(write()).rejects.toThrow(SnapshotStorageError);
});

it('counts the files of each user separately', async () => {
  const files = filesOf({ maxBytesUser: (64 << 10) + 20 });
  await write(files);
  await expect(write(files, 'x'.repeat(20))).rejects.toMatchObject({ name: 'SpaceExhaustedError', of: 'user' });
  await files.write('another', chunks('x'.repeat(20)), () => ({ ...about, userId: 'another' }));
});

it('gives files for others half of the space, and counts removed files while they are read', async () => {
  const files = filesOf({ maxBytesUser: 400 << 10 });
  const forOthers = (size: number) => files.write(about.userId, chunks('x'.repeat(size)), () => about, { isForOthers: true });
  const file = await forOthers(100 << 10);
  const reader = (await files.read(file, 0, file.size))?.[Symbol.asyncIterator]();
  await reader?.next();
  await files.remove(file.id);
  await expect(forOthers(50 << 10)).rejects.toMatchObject({ of: 'user' });
  await write(files, 'x'.repeat(50 << 10));
  await reader?.return?.();
  await forOthers(50 << 10);
});

it('bounds the number of files of a user, of those for others, and of all', async () => {
  const counts = new Map<string, number>();
  const listed = () =>
    [...counts].flatMap(([owner, count]) =>
      Array.from({ length: count }, (_, index) => ({
        id: exportIdOf(owner, index.toString(16).padStart(16, '0')),
        bytes: 1,
        changedAt: now,
        isComplete: true,
      })),
    );
  const files = filesOf({ storage: { ...createDiskExports(folder), list: async () => listed() } });
  const writeFor = (owner: string, isForOthers = false) =>
    files.write(owner, chunks('x'), () => ({ ...about, userId: owner }), { isForOthers });
  counts.set('one', 999);
  await writeFor('one', true);
  counts.set('one', 1_000);
  await expect(writeFor('one', true)).rejects.toMatchObject({ of: 'user' });
  counts.set('one', 3_999);
  await writeFor('one');
  counts.set('one', 4_000);
  await expect(writeFor('one')).rejects.toMatchObject({ of: 'user' });
  counts.set('two', 4_000).set('three', 1_999);
  await writeFor('four');
  counts.set('three', 2_000);
  await expect(writeFor('four')).rejects.toMatchObject({ of: 'all' });
});

it('lists the storage once for concurrent files, which take no more than the space together', async () => {
  const storage = createDiskExports(folder);
  let listings = 0;
  const list = async () => {
    listings++;
    const listed = await storage.list();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return listed;
  };
  const files = filesOf({ storage: { ...storage, list }, maxBytesUser: 400 << 10 });
  await Promise.all(Array.from({ length: 50 }, () => files.expectSpace(about.userId, false)));
  expect(listings).toBe(1);
  const written = await Promise.allSettled(Array.from({ length: 20 }, () => write(files, 'x'.repeat(60 << 10))));
  expect(listings).toBeLessThan(20);
  const whole = written.filter(({ status }) => status === 'fulfilled').length;
  expect(whole).toBeLessThanOrEqual(6);
  for (let more = whole; more < 5; more++) await write(files, 'x'.repeat(60 << 10));
  await write(files, 'x'.repeat(1 << 10));
  await expect(write(files, 'x'.repeat(60 << 10))).rejects.toMatchObject({ of: 'user' });
});

it('does not return a damaged file', async () => {
  const file = await write();
  await writeFile(join(folder, `${file.id}.data`), 'hello');
  expect(await filesOf().read(file, 0, file.size)).toBeNull();
});

it('removes expired files and leftovers', async () => {
  const file = await write();
  const young = `${'a'.repeat(32)}.part`;
  const old = `${'b'.repeat(32)}.part`;
  for (const name of [young, old, 'not ours']) await writeFile(join(folder, name), '');
  await utimes(join(folder, old), new Date(now - 3_600_000), new Date(now - 3_600_000));
  await filesOf().sweep();
  expect((await readdir(folder)).sort()).toEqual([young, `${file.id}.data`, `${file.id}.json`, 'not ours'].sort());
  const open = await filesOf().read(file, 0, file.size);
  now += 600_000;
  await filesOf().sweep();
  expect((await readdir(folder)).sort()).toEqual([young, 'not ours'].sort());
  expect(await filesOf().find(file.id)).toBeNull();
  expect(await textOf(open), 'a reader that has opened the file can finish').toBe('hello world');
});
