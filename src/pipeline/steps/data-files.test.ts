import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { createExportFiles } from '../../results/files/export-files.ts';
import { createDiskExports } from '../../results/storage/disk-exports.ts';
import type { DataFileRepository, MetadataStore, NamedDataFile } from '../../store/metadata-store.ts';
import { openSqliteStore } from '../../store/sql/sqlite/sqlite-store.ts';
import {
  createDataFiles,
  type DataFiles,
  type DataRequest,
  type DataSource,
  type LiveData,
  type StoredData,
} from './data-files.ts';

let folder: string;
let store: MetadataStore;
let now: number;
let runs: number;
let closed: number;
let leaves: (() => void)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'data-files-'));
  store = await openSqliteStore(join(folder, 'metadata.sqlite'));
  now = 1_000_000;
  runs = 0;
  closed = 0;
  leaves = [];
});
afterEach(async () => {
  for (const leave of leaves) leave(); // each may leave twice
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const exportFiles = (maxBytesUser = 1 << 20) =>
  createExportFiles({
    storage: createDiskExports(folder),
    now: () => now,
    maxBytesEach: 1 << 20,
    maxBytesAll: 1 << 20,
    maxBytesUser,
  });
const process = (files = exportFiles(), more: Partial<DataFileRepository> = {}): DataFiles =>
  createDataFiles({ files, store: { ...store.dataFiles, ...more }, now: () => now });

const about = {
  userId: 'u',
  keyId: null,
  forAssistant: false,
  queryName: 'Q',
  queryVersion: 3,
  parameters: null,
  format: 'csv',
  fileName: 'Q.csv',
  mimeType: 'text/csv',
  rowCount: 0,
};

/** A source of these chunks; a promise delays them, an error breaks it off. */
function sourceOf(...chunks: readonly (string | Error | Promise<unknown>)[]): Promise<Result<DataSource>> {
  runs++;
  async function* bytes() {
    for (const chunk of chunks) {
      if (chunk instanceof Error) throw chunk;
      if (typeof chunk === 'string') yield Buffer.from(chunk);
      else await chunk;
    }
  }
  const close = async () => void closed++;
  return Promise.resolve(succeeded({ bytes: bytes(), rows: () => 2, about, close }));
}

interface Opened {
  readonly data: StoredData | LiveData;
  readonly leave: () => void;
}

async function open(files: DataFiles, run: DataRequest['run'], more: Partial<DataRequest> = {}): Promise<Opened> {
  let leave = (): void => undefined;
  const opened = await files.open({
    ...{ name: 'n', userId: 'u', isForOthers: false, arrivedAt: now, cacheMs: 0, isPart: false, isHead: false, run },
    removed: new Set<string>(),
    failureOf: (cause) => ({ kind: 'Internal', cause }),
    onEnd: (work) => void leaves.push((leave = work)),
    ...more,
  });
  if (!opened.ok) throw new Error(opened.failure.kind);
  return { data: opened.value, leave };
}

async function textOf({ data }: Opened): Promise<string> {
  const bytes = 'stored' in data ? data.bytes() : await data.read(0, data.file.size);
  const read: Uint8Array[] = [];
  for await (const chunk of bytes ?? []) read.push(chunk);
  return Buffer.concat(read).toString();
}
const tagOf = ({ data }: Opened) => ('stored' in data ? data.etag : data.file.etags[0]);
const wholeOf = async ({ data }: Opened) => {
  const stored = 'stored' in data ? await data.stored : succeeded(data);
  if (!stored.ok) throw new Error(stored.failure.kind);
  return stored.value.file;
};

it('lets readers follow the bytes of one execution, and later ones read its file while it is fresh', async () => {
  const files = process();
  const rest = Promise.withResolvers<void>();
  const first = await open(files, () => sourceOf('one ', rest.promise, 'two'));
  const second = await open(files, () => sourceOf('never'));
  const iterator = 'stored' in first.data ? first.data.bytes()[Symbol.asyncIterator]() : null;
  expect(Buffer.from((await iterator?.next())?.value).toString()).toBe('one ');
  rest.resolve();
  expect(await textOf(second)).toBe('one two');
  expect([runs, second.data.isShared, tagOf(first) === tagOf(second)]).toEqual([1, true, true]);
  await wholeOf(first);
  now += 5_000;
  const third = await open(files, () => sourceOf('never'), { cacheMs: 6_000 });
  expect([await textOf(third), runs]).toEqual(['one two', 1]);
  now += 5_000;
  expect([await textOf(await open(files, () => sourceOf('new'), { cacheMs: 6_000 })), runs]).toEqual(['new', 2]);
  first.leave();
  second.leave();
});

it.each(['', 'old'])(
  'shares an execution that ends after its file was looked up and before the execution is (earlier content: %j)',
  async (before) => {
    const looked = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let isSlow = false;
    const get = async (name: string) => {
      const named = await store.dataFiles.get(name);
      if (!isSlow) return named;
      isSlow = false;
      looked.resolve();
      await ended.promise;
      return named;
    };
    const files = process(undefined, { get });
    if (before !== '') await wholeOf(await open(files, () => sourceOf(before)));
    now += 1_000;
    const rest = Promise.withResolvers<void>();
    const first = await open(files, () => sourceOf('one ', rest.promise, 'execution'));
    isSlow = true;
    const second = open(files, () => sourceOf('another'));
    await looked.promise;
    rest.resolve();
    const { id } = await wholeOf(first);
    now += 1_000;
    ended.resolve();
    expect([await textOf(await second), (await wholeOf(await second)).id]).toEqual(['one execution', id]);
    expect((await second).data.isShared).toBe(true);
    first.leave();
  },
);

it('keeps all ETags of a file while its content stays the same', async () => {
  const files = process();
  const tags: (string | undefined)[] = [];
  for (const text of ['same', 'same', 'same', 'other']) {
    now += 1_000;
    const opened = await open(files, () => sourceOf(text));
    tags.push(tagOf(opened));
    const { etags } = await wholeOf(opened);
    expect(etags).toContain(tags.at(-1));
    expect(etags[0]).toBe(text === 'same' ? tags[0] : tags.at(-1));
    opened.leave();
  }
});

it('shares the execution of another process, and removes the file before it', async () => {
  let asked = 0;
  const claim: DataFileRepository['claim'] = (...claimed) => {
    asked++;
    return store.dataFiles.claim(...claimed);
  };
  const [here, there] = [process(), process(undefined, { claim })];
  const old = await open(here, () => sourceOf('old'));
  await wholeOf(old);
  old.leave();
  now += 1_000;
  const rest = Promise.withResolvers<void>();
  const first = await open(here, () => sourceOf('by one ', rest.promise, 'process'));
  const waiting = open(there, () => sourceOf('never'));
  await waitUntil(
    async () => asked,
    (count) => count > 1,
  );
  rest.resolve();
  expect(await textOf(await waiting)).toBe('by one process');
  expect([await textOf(first), runs]).toEqual(['by one process', 2]);
  first.leave();
  expect((await readdir(folder)).filter((name) => name.endsWith('.data'))).toHaveLength(1);
});

it('takes over from a process that died, and from one whose execution failed', async () => {
  await store.dataFiles.claim('n', 'died', { at: now, until: now + 15_000 });
  const waiting = open(process(), () => sourceOf('by the next one'));
  await delay(250);
  expect(runs).toBe(0);
  now += 15_000;
  expect(await textOf(await waiting)).toBe('by the next one');
  const failing = await open(process(), () => sourceOf('begun', new Error('broken')), { name: 'm' });
  await expect(textOf(failing)).rejects.toThrow('Internal');
  expect(await textOf(await open(process(), () => sourceOf('again'), { name: 'm' }))).toBe('again');
});

it('ends the execution with its last reader, and gives the next one another', async () => {
  const files = process();
  const signals: AbortSignal[] = [];
  const run = (signal: AbortSignal) => {
    signals.push(signal);
    const left = new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('left'))));
    left.catch(() => undefined);
    return sourceOf('begun', left);
  };
  const [one, two] = [await open(files, run), await open(files, run)];
  one.leave();
  one.leave();
  await delay(20);
  expect([signals.length, signals[0]?.aborted, closed]).toEqual([1, false, 0]);
  two.leave();
  expect(signals[0]?.aborted).toBe(true);
  await waitUntil(
    async () => closed,
    (count) => count === 1,
  );
  expect(
    (await readdir(folder)).filter((name) => name.endsWith('.part')),
    'nothing is left',
  ).toEqual([]);
  expect(await textOf(await open(files, () => sourceOf('another')))).toBe('another');
});

it('uses the file of the previous range for a minute after each range, and for a HEAD for at most ten minutes', async () => {
  const files = process();
  const part = async (text: string, isHead = false) => {
    const opened = await open(files, () => sourceOf(text), { isPart: true, isHead });
    const file = await wholeOf(opened);
    await files.notePart('n', file);
    opened.leave();
    return textOf({ ...opened, data: { file, isShared: true, read: (start, end) => exportFiles().read(file, start, end) } });
  };
  expect(await part('first', true)).toBe('first');
  now += 1_000;
  expect(await textOf(await open(files, () => sourceOf('newer')))).toBe('newer');
  for (let minute = 0; minute < 10; minute++) {
    now += 58_000;
    expect(await part('latest')).toBe('first');
    await exportFiles().sweep();
  }
  now += 20_000;
  expect(await part('latest', true), 'so that a reader that polls gets new rows').toBe('latest');
  now += 66_000;
  expect(await part('last')).toBe('last');
});

it('ignores removed files, and reports that the file of a range was removed', async () => {
  const files = process();
  const gone = await wholeOf(await open(files, () => sourceOf('gone'), { cacheMs: 60_000 }));
  expect(await files.notePart('n', gone)).toBe(true);
  await exportFiles().remove(gone.id);
  now += 6_000;
  expect(await files.notePart('n', gone)).toBe(false);
  const removed = new Set([gone.id]);
  for (const isPart of [true, false])
    expect(await textOf(await open(files, () => sourceOf('again'), { cacheMs: 60_000, isPart, removed }))).toBe('again');
});

it('reports a failure to every reader, and exhausted space', async () => {
  const files = process();
  const broken = () => Promise.resolve(failed({ kind: 'QueryFailed', cause: null } as const));
  await expect(Promise.all([open(files, broken), open(files, broken)])).rejects.toThrow('QueryFailed');
  const full = await open(process(exportFiles(80_000)), () => sourceOf('x'.repeat(100_000)));
  await expect(textOf(full)).rejects.toThrow('Internal');
  const before = runs;
  await expect(open(process(exportFiles(10)), () => sourceOf('x'))).rejects.toThrow('Internal');
  expect(runs, 'without space no query runs').toBe(before);
  const named: NamedDataFile = await store.dataFiles.get('n');
  expect(named.latest).toBeNull();
});
