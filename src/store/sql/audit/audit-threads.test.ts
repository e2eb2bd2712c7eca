import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { auditEntry, expectKind } from '../../../../test/contracts/metadata-store/fixtures.ts';
import type { MetadataStore } from '../../metadata-store.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { auditReader, type AuditWriter, sqliteAuditWriter } from './audit-threads.ts';

let folder: string;
let file: string;
let store: MetadataStore;
let writer: AuditWriter;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-store-'));
  file = join(folder, 'metadata.sqlite');
  store = await openSqliteStore(file);
  writer = sqliteAuditWriter(file);
});
afterEach(async () => {
  await writer.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const written = async (requestId: string) => (await store.audit.list({ requestId }, { limit: 10 })).items;

it('writes an entry unchanged except for NUL characters', async () => {
  const entry = auditEntry({
    requestId: 'a',
    user: 'Zoë 😀',
    parameters: { '@Name': '"\ud800', '@None': null },
    client: 'x\0y',
  });
  await writer.append([entry]);
  const [found] = await written('a');
  expect(found).toEqual({ ...entry, client: 'x\ufffdy', seq: expect.any(Number) });
});

it('resolves when its entries are committed, visible to other connections', async () => {
  await Promise.all(
    [1, 2, 3].map((n) => writer.append([auditEntry({ requestId: `b${n}` }), auditEntry({ requestId: `c${n}` })])),
  );
  const other = new DatabaseSync(file);
  expect(other.prepare("select count(*) as count from audit where request_id glob '[bc]?'").get()).toEqual({ count: 6 });
  other.close();
});

it('writes all entries of a batch or none', async () => {
  const broken = { ...auditEntry({ requestId: 'e' }), address: null } as unknown as ReturnType<typeof auditEntry>; // the column refuses it
  await expect(writer.append([auditEntry({ requestId: 'd' }), broken])).rejects.toEqual(expectKind('unavailable'));
  expect(await written('d')).toEqual([]);
  await writer.append([auditEntry({ requestId: 'f' })]);
  expect(await written('f')).toHaveLength(1);
});

it('waits while another process holds the lock, without blocking the event loop', async () => {
  await writer.append([auditEntry()]); // the thread runs
  const holder = new DatabaseSync(file);
  holder.exec('begin immediate');
  let isDone = false;
  const appended = writer.append([auditEntry({ requestId: 'g' })]).then(() => {
    isDone = true;
  });
  await sleep(200);
  expect(isDone).toBe(false);
  holder.exec('rollback');
  holder.close();
  await appended;
  expect(await written('g')).toHaveLength(1);
});

it('fails pending requests when its thread ends', async () => {
  await writer.append([auditEntry()]);
  const holder = new DatabaseSync(file);
  holder.exec('begin immediate');
  const appended = writer.append([auditEntry({ requestId: 'h' })]);
  const failed = expect(appended).rejects.toEqual(expectKind('unavailable'));
  await writer.close();
  await failed;
  holder.exec('rollback');
  holder.close();
  await writer.append([auditEntry({ requestId: 'i' })]); // by another
  expect(await written('i')).toHaveLength(1);
});

it('ends its thread when idle, and starts another for the next request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-reader-'));
  const file = join(folder, 'metadata.sqlite');
  const store = await openSqliteStore(file);
  await store.audit.append(Array.from({ length: 200 }, () => auditEntry()));
  const ended = vi.spyOn(Worker.prototype, 'terminate');
  const reader = auditReader({ file }, 50);
  const list = async () => (await reader.list({ search: 'request' }, { limit: 500 })).items.length;
  expect(await Promise.all([list(), list()])).toEqual([200, 200]);
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), { timeout: 10_000 });
  expect(await list()).toBe(200);
  await reader.close();
  await store.close();
  await rm(folder, { recursive: true });
  ended.mockRestore();
});
