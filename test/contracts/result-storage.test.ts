import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createExportFiles, type ExportAbout } from '../../src/results/files/export-files.ts';
import { createSnapshots, type Snapshots } from '../../src/results/snapshot/snapshots.ts';
import { openStorage } from '../support/results/open-storage.ts';
import { type Fault, type S3Server, startS3 } from '../support/services/s3-server.ts';

// The contract of result storage, for every implementation. A child process fills a snapshot, and this process reads it.

let s3: S3Server;
const children: ChildProcess[] = [];
beforeAll(async () => {
  s3 = await startS3();
  process.env.AWS_ACCESS_KEY_ID = s3.settings.AWS_ACCESS_KEY_ID;
  process.env.AWS_SECRET_ACCESS_KEY = s3.settings.AWS_SECRET_ACCESS_KEY;
});
afterAll(() => s3.remove());

let address: string;
let snapshots: Snapshots;
let folder: string;
let tests = 0;
const openSnapshots = async (more = {}, now = Date.now) =>
  createSnapshots({ storage: (await openStorage(address, now)).snapshots, now, ...more });
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  s3.fault = () => null;
  s3.listingLagMs = 0;
});

const onDisk = {
  name: 'the local disk',
  prepare: async () => {
    folder = await mkdtemp(join(tmpdir(), 'storage-'));
    address = folder;
  },
  remove: () => rm(folder, { recursive: true, force: true }),
};
const inS3 = {
  name: 'S3',
  prepare: async () => {
    address = `${s3.endpoint}/${s3.bucket}/test-${process.pid}-${tests++}/`;
  },
  remove: async () => undefined,
};

describe.each([onDisk, inS3])('results on $name', ({ prepare, remove }) => {
  beforeEach(async () => {
    await prepare();
    snapshots = await openSnapshots();
  });
  afterEach(remove);

  test('a snapshot is read while another process fills it, whose clock is five seconds ahead or behind', async () => {
    for (const clockMs of [0, 5_000, -5_000]) {
      const { id } = await startFilling('slow', 1000, clockMs);
      expect(await read(id, 850, 100)).toMatchObject({ first: 850, rowCount: 100, hasMore: true });
      expect(await read(id, 950, 100)).toMatchObject({ first: 950, rowCount: 50, hasMore: false });
    }
  });

  test('a snapshot is not swept while another process fills it', async () => {
    const { id } = await startFilling('stuck', 1000);
    expect(await (await openSnapshots({ maxBytesAll: 0 })).sweep()).toMatchObject({ removed: 0 });
    expect(await read(id, 0, 10)).toMatchObject({ rowCount: 10 });
  });

  test('a snapshot whose process was killed is incomplete, and its rows stay readable', async () => {
    const { id, child } = await startFilling('stuck', 1000);
    expect(await read(id, 500, 499)).toMatchObject({ first: 500, rowCount: 499, hasMore: true });
    const waiting = read(id, 900, 200);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await waiting).toMatchObject({ first: 900, rowCount: 100, hasMore: true });
    expect(await read(id, 1000, 10)).toMatchObject({ kind: 'incomplete', reason: expect.stringContaining('stopped') });
  });

  test('a drain continues in its process as far as this one reads', async () => {
    const { id, end } = await startFilling('pausing', 100_000);
    expect(await read(id, 50_000, 100)).toMatchObject({ first: 50_000, rowCount: 100, hasMore: true });
    expect(await read(id, 99_950, 100)).toMatchObject({ first: 99_950, rowCount: 50, hasMore: false });
    expect(await end).toBe('complete 100000');
  });

  test('a drain that was killed while it waited for readers is incomplete', async () => {
    const { id, child } = await startFilling('pausing', 100_000);
    await read(id, 1_000, 100);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await read(id, 99_000, 100)).toMatchObject({ kind: 'incomplete', reason: expect.stringContaining('stopped') });
  });

  test('pages are the same from every position, also across segments', async () => {
    const { id, end } = await startFilling('fast', 1_000_000);
    expect(await end).toBe('complete 1000000');
    for (const rowIndex of [0, 1, 270_000, 299_500, 599_000, 599_500, 999_990]) {
      const found = await read(id, rowIndex, 1000);
      expect(found).toMatchObject({ first: rowIndex, rowCount: Math.min(1000, 1_000_000 - rowIndex) });
    }
  });

  test('reports a removed snapshot as gone, and one without rows as abandoned', async () => {
    const removed = await startFilling('fast', 1000);
    const emptied = await startFilling('fast', 1000);
    await Promise.all([removed.end, emptied.end]);
    for (const { id } of [removed, emptied]) expect(await read(id, 0, 10)).toMatchObject({ rowCount: 10 });
    const { snapshots: storage } = await openStorage(address, Date.now);
    await storage.remove(removed.id);
    await storage.removeRows(emptied.id);
    snapshots = await openSnapshots(); // a process that has read nothing yet
    expect(await read(removed.id, 0, 10)).toEqual({ kind: 'gone' });
    expect(await read(emptied.id, 0, 10)).toEqual({ kind: 'given-up' });
    expect((await storage.list()).filter(({ bytes }) => bytes > 0)).toEqual([]);
  });

  test('the sizes and users of snapshots are listed, and above the bound rows are removed', async () => {
    const { id, end } = await startFilling('fast', 100_000);
    await end;
    const { snapshots: storage } = await openStorage(address, Date.now);
    const [listed] = await storage.list();
    expect(listed).toMatchObject({ id, userId: 'u1', bytes: expect.toSatisfy((bytes: number) => bytes > 1_000_000) });
    expect(Math.abs(Date.now() - (listed?.usedAt ?? 0))).toBeLessThan(30_000);
    expect(await (await openSnapshots({ maxBytesAll: 1000 })).sweep()).toMatchObject({ removed: 1, bytes: 0 });
    snapshots = await openSnapshots();
    expect(await read(id, 10, 10)).toEqual({ kind: 'given-up' });
  });

  test('an export file is either complete or missing', async () => {
    const exports = await exportFiles();
    const file = await exports.write('u1', chunks(20), () => about);
    const other = await exportFiles();
    expect(await other.find(file.id)).toEqual(file);
    expect(file.size).toBe(20 << 20);
    expect(await bytesOf(await other.read(file, 0, file.size))).toBe(20 << 20);
    expect(await bytesOf(await other.read(file, 5, (8 << 20) + 5))).toBe(8 << 20);
    await expect(exports.write('u1', failing(), () => about)).rejects.toThrow('broken');
    expect((await (await openStorage(address, Date.now)).exports.list()).map(({ id }) => id)).toEqual([file.id]);
    await (await exportFiles(Date.now() + 20 * 60_000)).sweep();
    expect(await exports.find(file.id)).toBeNull();
    expect(await exports.read(file, 0, 10)).toBeNull();
  });
});

test('a snapshot is incomplete if the disk of its process is full', async () => {
  await onDisk.prepare();
  snapshots = await openSnapshots();
  const { id, end } = await startFilling('fast', 200_000, 0, 'ulimit -f 1000');
  expect(await end).toMatch(/^failed /);
  const rows = Number((await end).split(' ')[1]);
  expect(rows).toBeGreaterThan(10_000);
  expect(await read(id, rows - 5, 10)).toMatchObject({ first: rows - 5, rowCount: 5, hasMore: true });
  expect(await read(id, rows, 10)).toMatchObject({ kind: 'incomplete', reason: expect.stringContaining('disk') });
  await onDisk.remove();
});

describe('an object store that', () => {
  beforeEach(async () => {
    await inS3.prepare();
    snapshots = await openSnapshots();
  });

  test('is unreachable makes reading fail, and serves the same pages when it is reachable again', async () => {
    const { id, end } = await startFilling('fast', 100_000);
    await end;
    await s3.stop();
    await expect(read(id, 0, 10)).rejects.toThrow('object store');
    await expect(snapshots.sweep()).rejects.toThrow('object store');
    await s3.start();
    expect(await read(id, 99_995, 10)).toMatchObject({ first: 99_995, rowCount: 5, hasMore: false });
  });

  const throttled: Fault = { status: 503, code: 'SlowDown' };
  test.each<[string, Fault]>([
    ['fails often', { status: 500, code: 'InternalError' }],
    ['throttles', throttled],
    ['resets connections', 'reset'],
  ])('%s delays results but does not change them', async (_name, fault) => {
    let requests = 0;
    s3.fault = () => (requests++ % 4 === 1 ? fault : null);
    const { id, end } = await startFilling('slow', 3000);
    for (let at = 0; at < 3000; at += 500) expect(await read(id, at, 500)).toMatchObject({ first: at, rowCount: 500 });
    expect(await end).toBe('complete 3000');
    const file = await (await exportFiles()).write('u1', chunks(9), () => about);
    expect(await bytesOf(await (await exportFiles()).read(file, 0, file.size))).toBe(9 << 20);
  });

  test('pauses for five seconds delays a drain and its readers', async () => {
    const { id, end } = await startFilling('slow', 1000);
    let paused = 0;
    s3.fault = () => (paused++ < 3 ? { pauseMs: 5_000 } : null);
    expect(await read(id, 900, 100)).toMatchObject({ first: 900, rowCount: 100 });
    expect(await end).toBe('complete 1000');
  });

  test('fails permanently ends a drain, whose stored rows stay readable', async () => {
    const { id, end } = await startFilling('slow', 60_000);
    expect(await read(id, 0, 100)).toMatchObject({ rowCount: 100 });
    s3.fault = ({ method, url }) => (method === 'PUT' && url.includes('/rows/') ? { status: 500, code: 'InternalError' } : null);
    expect(await end).toMatch(/^failed /);
    const rows = Number((await end).split(' ')[1]);
    expect(await read(id, rows - 5, 10)).toMatchObject({ first: rows - 5, rowCount: 5, hasMore: true });
    expect(await read(id, rows, 10)).toMatchObject({ kind: 'incomplete', reason: expect.stringContaining('object store') });
  });

  test('has a snapshot of a process that hangs reports it as incomplete', async () => {
    const { id, child } = await startFilling('stuck', 1000);
    expect(await read(id, 0, 100)).toMatchObject({ rowCount: 100 });
    child.kill('SIGSTOP');
    expect(await read(id, 1000, 10)).toMatchObject({ kind: 'incomplete', reason: expect.stringContaining('stopped') });
  });

  test('returns all snapshots from a delayed list', async () => {
    s3.listingLagMs = 10_000;
    const { snapshots: storage } = await openStorage(address, Date.now);
    expect(await storage.list()).toEqual([]);
    const { id, end } = await startFilling('fast', 10_000);
    await end;
    expect(await snapshots.sweep()).toMatchObject({ removed: 0 });
    expect(await read(id, 5_000, 10)).toMatchObject({ first: 5_000 });
    s3.listingLagMs = 0;
    await storage.list();
    s3.listingLagMs = 10_000;
    await storage.remove(id);
    expect(await (await openSnapshots()).sweep()).toMatchObject({ removed: 0 });
  });

  test('has an incomplete upload serves only the rows that its state lists', async () => {
    let uploads = 0;
    s3.fault = ({ method, url }) =>
      method === 'PUT' && url.includes('/state.json') && uploads++ > 1 ? { status: 500, code: 'InternalError' } : null;
    const { id, child } = await startFilling('slow', 20_000);
    expect(await read(id, 0, 1)).toMatchObject({ rowCount: 1 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (let at = 0; ;) {
      const found = await read(id, at, 1000);
      if (!('rowCount' in found)) {
        expect(found).toMatchObject({ kind: 'incomplete' });
        break;
      }
      expect(found).toMatchObject({ first: at });
      at += found.rowCount;
    }
  });

  test('serves a page by one request, or by two where it crosses segments, in order or not', async () => {
    const { id, end } = await startFilling('fast', 600_000);
    await end;
    await read(id, 200_000, 1000);
    s3.requests();
    for (let at = 201_000; at < 231_000; at += 1000) await read(id, at, 1000);
    expect(s3.requests().filter((each) => each.includes('/rows/')).length).toBeLessThanOrEqual(30);
    const pages = [500_000, 420_000, 560_000, 440_000, 505_000, 580_000];
    for (const at of pages) await read(id, at, 100);
    const requests = s3.requests().filter((each) => each.startsWith('GET'));
    expect(requests.filter((each) => each.includes('/rows/')).length).toBeLessThanOrEqual(2 * pages.length);
    expect(requests.filter((each) => each.includes('/offsets/')).length).toBeLessThanOrEqual(2); // of 131,072 rows each
  });
});

async function startFilling(manner: 'slow' | 'stuck' | 'fast' | 'pausing', rows: number, clockMs = 0, before = 'true') {
  const script = join(import.meta.dirname, '../support/results/snapshot-process.ts');
  const args = [process.execPath, script, address, manner, String(rows), String(clockMs)];
  const child = spawn('bash', ['-c', `${before}; exec "$0" "$@"`, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  return { child, id: await line(), end: line() };
}

async function read(id: string, rowIndex: number, rowSize: number) {
  const answer = await snapshots.read(id, { rowIndex, rowSize, maxPageBytes: 1 << 20 });
  if (answer.kind !== 'page') return answer;
  const ids = JSON.parse(`[${answer.page.rows}]`).map((row: { id: number }) => row.id);
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => rowIndex + index));
  return { ...answer.page, first: ids[0] };
}

const about: ExportAbout = {
  userId: 'u1',
  keyId: null,
  forAssistant: false,
  queryName: 'QD_numbers',
  queryVersion: 1,
  parameters: null,
  format: 'csv',
  fileName: 'numbers.csv',
  mimeType: 'text/csv',
  rowCount: 1,
};

const exportFiles = async (at = Date.now()) =>
  createExportFiles({
    storage: (await openStorage(address, () => at)).exports,
    now: () => at,
    maxBytesEach: 1 << 30,
    maxBytesAll: 1 << 30,
    maxBytesUser: 1 << 30,
  });

async function* chunks(mebibytes: number) {
  for (let count = 0; count < mebibytes; count++) yield Buffer.alloc(1 << 20, count);
}

async function* failing() {
  yield* chunks(10);
  throw new Error('broken');
}

async function bytesOf(stream: AsyncIterable<Uint8Array> | null): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream ?? []) bytes += chunk.length;
  return bytes;
}
