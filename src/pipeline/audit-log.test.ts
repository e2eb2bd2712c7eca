import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../audit/audit-entry.ts';
import { type MetadataStore, StoreError } from '../store/metadata-store.ts';
import { openSqliteStore } from '../store/sql/sqlite/sqlite-store.ts';
import { type AuditLog, createAuditLog } from './steps/audit-call.ts';

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
  kind: 'person',
  viewer: null,
  application: null,
  cached: false,
  ...more,
});
const recorded = async (requestId: string) => (await store.audit.list({ requestId }, { limit: 10 })).items.length;

it('resolves when the entry is committed', async () => {
  const log = createAuditLog((entries) => store.audit.append(entries));
  await log.append(entry('one'));
  expect(await recorded('one')).toBe(1);
});

it('commits the entries of concurrent calls together, and later entries with the next commit', async () => {
  const sizes: number[] = [];
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const log = createAuditLog(async (entries) => {
    sizes.push(entries.length);
    begun.resolve();
    await gate.promise;
  });
  const first = Array.from({ length: 7 }, (_, index) => log.append(entry(`${index}`)));
  await begun.promise;
  const second = Array.from({ length: 1200 }, (_, index) => log.append(entry(`${index}`)));
  gate.resolve();
  await Promise.all([...first, ...second]);
  expect(sizes).toEqual([7, 500, 500, 200]);
});

it('fails the calls of a failed commit, and no later ones', async () => {
  let broken = true;
  const log = createAuditLog(async () => {
    if (broken) throw new StoreError('unavailable', 'disk full');
  });
  const results = await Promise.allSettled([log.append(entry('a')), log.append(entry('b'))]);
  expect(results.map((each) => each.status)).toEqual(['rejected', 'rejected']);
  broken = false;
  await log.append(entry('c'));
});

it('tries an unavailable store once for a batch, not for each entry', async () => {
  let reads = 0;
  const log = createAuditLog(async () => {
    reads++;
    throw new StoreError('unavailable', 'locked');
  });
  await Promise.allSettled(Array.from({ length: 20 }, (_, index) => log.append(entry(`${index}`))));
  expect(reads).toBe(1);
});

it('fails only the call whose entry cannot be written', async () => {
  const log = createAuditLog((entries) => store.audit.append(entries));
  const results = await Promise.allSettled([
    log.append(entry('before')),
    log.append(entry('poison', { parameters: { big: 1n } })), // JSON has none
    log.append(entry('after')),
  ]);
  expect(results.map((each) => each.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect([await recorded('before'), await recorded('poison'), await recorded('after')]).toEqual([1, 0, 1]);
});

it('flushes when all entries are committed or have failed', async () => {
  let committed = 0;
  const begun = Promise.withResolvers<void>();
  const log = createAuditLog(async (entries) => {
    begun.resolve();
    await setImmediate();
    committed += entries.length;
    if (entries.length > 1) throw new StoreError('unavailable', 'locked');
  });
  await log.flush();
  const first = log.append(entry('a'));
  await begun.promise;
  const later = Promise.allSettled([log.append(entry('b')), log.append(entry('c'))]);
  await log.flush();
  expect(committed).toBe(3);
  await first;
  expect((await later).map((each) => each.status)).toEqual(['rejected', 'rejected']);
});

describe('gathering', () => {
  const append = (log: AuditLog, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => log.append(entry(`${index}`))));

  /** An event loop whose turns and time the test controls, and a log on it that has just committed `lastTime` entries. */
  async function gatheringLog(lastTime: number) {
    const sizes: number[] = [];
    let time = 0;
    let turn = Promise.withResolvers<void>();
    const log = createAuditLog(async (entries) => void sizes.push(entries.length), {
      now: () => time,
      yieldTurn: () => turn.promise,
    });
    const nextTurn = async (passedMs = 0): Promise<void> => {
      time += passedMs;
      const ended = turn;
      turn = Promise.withResolvers();
      ended.resolve();
      await setImmediate(); // all that follows from it without another turn
    };
    const first = append(log, lastTime);
    await nextTurn();
    await first;
    sizes.length = 0;
    return { log, sizes, nextTurn };
  }

  it('commits after one turn if there are as many entries as in the last commit', async () => {
    const { log, sizes, nextTurn } = await gatheringLog(1);
    const appended = append(log, 1);
    await setImmediate();
    expect(sizes).toEqual([]);
    await nextTurn();
    expect(sizes).toEqual([1]);
    await appended;
  });

  it('waits further turns until there are as many entries as in the last commit', async () => {
    const { log, sizes, nextTurn } = await gatheringLog(4);
    const first = append(log, 2);
    await nextTurn();
    await nextTurn();
    expect(sizes).toEqual([]);
    const second = append(log, 2);
    await nextTurn();
    expect(sizes).toEqual([4]);
    await Promise.all([first, second]);
  });

  it('commits fewer entries after ten turns', async () => {
    const { log, sizes, nextTurn } = await gatheringLog(4);
    const appended = append(log, 3);
    for (let turn = 0; turn < 9; turn++) await nextTurn();
    expect(sizes).toEqual([]);
    await nextTurn();
    expect(sizes).toEqual([3]);
    await appended;
  });

  it('commits fewer entries when turns have taken five milliseconds', async () => {
    const { log, sizes, nextTurn } = await gatheringLog(4);
    const appended = append(log, 3);
    await nextTurn(4.9);
    expect(sizes).toEqual([]);
    await nextTurn(0.1);
    expect(sizes).toEqual([3]);
    await appended;
  });
});
