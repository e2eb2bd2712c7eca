import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskSnapshots } from '../storage/disk-snapshots.ts';
import { createSnapshots, type Snapshots } from './snapshots.ts';

let folder: string;
let snapshots: Snapshots;
const children: ChildProcess[] = [];
const storage = () => createDiskSnapshots({ folder, now: Date.now });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snapshots-'));
  snapshots = createSnapshots({ storage: storage(), now: Date.now });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

describe('a snapshot filled by another process', () => {
  it('is read while it grows', async () => {
    const { id } = await started('slow', 1000);
    expect(await read(id, 850, 100)).toMatchObject({ first: 850, rowCount: 100, hasMore: true });
    expect(await read(id, 950, 100)).toMatchObject({ first: 950, rowCount: 50, hasMore: false });
  });

  it('is not swept while it grows', async () => {
    const { id } = await started('stuck', 1000);
    expect(await createSnapshots({ storage: storage(), now: Date.now, maxBytesAll: 0 }).sweep()).toMatchObject({ removed: 0 });
    expect(await read(id, 0, 10)).toMatchObject({ rowCount: 10 });
  });

  it('is incomplete immediately if that process was killed, and its rows stay readable', async () => {
    const { id, child } = await started('stuck', 1000);
    expect(await read(id, 500, 499)).toMatchObject({ first: 500, rowCount: 499, hasMore: true });
    const waiting = read(id, 900, 200);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await waiting).toMatchObject({ first: 900, rowCount: 100, hasMore: true });
    const killedAt = Date.now();
    expect(await read(id, 1000, 10)).toMatchObject({ kind: 'incomplete', reason: expect.stringContaining('stopped') });
    expect(Date.now() - killedAt).toBeLessThan(15_000);
  });

  it('continues in that process as far as this one reads', async () => {
    const { id, end } = await started('pausing', 100_000);
    expect(await read(id, 50_000, 100)).toMatchObject({ first: 50_000, rowCount: 100, hasMore: true });
    expect(await read(id, 99_950, 100)).toMatchObject({ first: 99_950, rowCount: 50, hasMore: false });
    expect(await end).toBe('complete 100000');
  });

  it('is incomplete immediately if that process was killed while it waited for readers', async () => {
    const { id, child } = await started('pausing', 100_000);
    await read(id, 10_000, 100);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await read(id, 99_000, 100)).toMatchObject({ kind: 'incomplete', reason: expect.stringContaining('stopped') });
  });

  it('is incomplete if that process could not write any more', async () => {
    const { id, end } = await started('fast', 200_000, 'ulimit -f 1000');
    expect(await end).toMatch(/^failed /);
    const rows = Number((await end).split(' ')[1]);
    expect(rows).toBeGreaterThan(10_000);
    expect(await read(id, rows - 5, 10)).toMatchObject({ first: rows - 5, rowCount: 5, hasMore: true });
    expect(await read(id, rows, 10)).toMatchObject({ kind: 'incomplete', reason: expect.stringContaining('disk') });
  });
});

async function started(manner: 'slow' | 'stuck' | 'fast' | 'pausing', rows: number, before = 'true') {
  const script = join(import.meta.dirname, '../../../test/support/results/snapshot-process.ts');
  const command = `${before}; exec "$0" "$@"`;
  const child = spawn('bash', ['-c', command, process.execPath, script, folder, manner, String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  return { child, id: await line(), end: line() };
}

async function read(id: string, rowIndex: number, rowSize: number) {
  const answer = await snapshots.read(id, { rowIndex, rowSize, maxPageBytes: 1 << 20 });
  if (answer.kind !== 'page') return answer;
  const [first] = JSON.parse(`[${answer.page.rows}]`);
  return { ...answer.page, first: first.id };
}
