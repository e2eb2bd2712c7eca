import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '../audit/audit-entry.ts';
import { type MetadataStore, StoreError } from '../store/metadata-store.ts';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import { createAuditLog } from './audit-log.ts';

let folder: string;
let store: MetadataStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-log-'));
  store = await openSqliteStore(join(folder, 'metadata.sqlite'));
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const entry = (requestId: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: 1,
  requestId,
  userId: null,
  user: null,
  apiKey: null,
  action: 'query.execute',
  query: null,
  queryVersion: null,
  parameters: null,
  channel: 'rest',
  outcome: 'ok',
  status: 200,
  error: null,
  rows: null,
  bytes: null,
  durationMs: 1,
  address: '::1',
  client: null,
  cached: false,
  ...more,
});
const recorded = async (requestId: string) => (await store.audit.list({ requestId }, { limit: 10 })).items.length;

it('answers when the entry is committed', async () => {
  const log = createAuditLog((entries) => store.audit.append(entries));
  await log.append(entry('one'));
  expect(await recorded('one')).toBe(1);
});

it('commits the entries of concurrent calls together, and those that come meanwhile after it', async () => {
  const sizes: number[] = [];
  const gate = Promise.withResolvers<void>();
  const log = createAuditLog(async (entries) => {
    sizes.push(entries.length);
    await gate.promise;
  });
  const first = Array.from({ length: 7 }, (_, index) => log.append(entry(`${index}`)));
  await new Promise((resolve) => setTimeout(resolve, 10));
  const second = Array.from({ length: 1200 }, (_, index) => log.append(entry(`${index}`)));
  gate.resolve();
  await Promise.all([...first, ...second]);
  expect(sizes).toEqual([7, 500, 500, 200]);
});

it('fails the calls of a commit that failed, and no later one', async () => {
  let broken = true;
  const log = createAuditLog(async () => {
    if (broken) throw new StoreError('unavailable', 'disk full');
  });
  const results = await Promise.allSettled([log.append(entry('a')), log.append(entry('b'))]);
  expect(results.map((each) => each.status)).toEqual(['rejected', 'rejected']);
  broken = false;
  await log.append(entry('c'));
});

it('asks a store that is down once for a whole batch, not for each entry', async () => {
  let asked = 0;
  const log = createAuditLog(async () => {
    asked++;
    throw new StoreError('unavailable', 'locked');
  });
  await Promise.allSettled(Array.from({ length: 20 }, (_, index) => log.append(entry(`${index}`))));
  expect(asked).toBe(1);
});

it('lets an entry that cannot be written fail its own call only', async () => {
  const log = createAuditLog((entries) => store.audit.append(entries));
  const results = await Promise.allSettled([
    log.append(entry('before')),
    log.append(entry('poison', { parameters: { big: 1n } })), // JSON has none
    log.append(entry('after')),
  ]);
  expect(results.map((each) => each.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect([await recorded('before'), await recorded('poison'), await recorded('after')]).toEqual([1, 0, 1]);
});

it('is flushed when all that was appended is committed, also what failed', async () => {
  let committed = 0;
  const log = createAuditLog(async (entries) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    committed += entries.length;
    if (entries.length > 1) throw new StoreError('unavailable', 'locked');
  });
  await log.flush();
  const first = log.append(entry('a'));
  await new Promise((resolve) => setTimeout(resolve, 2));
  const later = Promise.allSettled([log.append(entry('b')), log.append(entry('c'))]);
  await log.flush();
  expect(committed).toBe(3);
  await first;
  expect((await later).map((each) => each.status)).toEqual(['rejected', 'rejected']);
});

it('lets entries of several turns share a commit where one has just ended', async () => {
  const sizes: number[] = [];
  const log = createAuditLog(async (entries) => void sizes.push(entries.length));
  // a busy machine may miss the moment now and then
  for (let attempt = 0; attempt < 50 && !sizes.includes(2); attempt++) {
    await log.append(entry('first'));
    const second = log.append(entry('second'));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([second, log.append(entry('third'))]);
  }
  expect(sizes).toContain(2);
});

it('waits some turns for as many as shared the last commit, and not for ever', async () => {
  const sizes: number[] = [];
  const log = createAuditLog(async (entries) => void sizes.push(entries.length));
  const append = (count: number) => Promise.all(Array.from({ length: count }, () => log.append(entry('one'))));
  const met = () => sizes.slice(-2).join() === '4,4';
  // a busy machine may miss the moment now and then
  for (let attempt = 0; attempt < 50 && !met(); attempt++) {
    await append(4);
    const first = append(2);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await Promise.all([first, append(2)]);
  }
  expect(met()).toBe(true);
  await append(1);
  expect(sizes.at(-1)).toBe(1);
});
