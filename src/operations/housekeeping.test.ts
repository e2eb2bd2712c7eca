import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { embedOf } from '../../test/contracts/metadata-store/embeds.ts';
import { addUser } from '../../test/contracts/metadata-store/fixtures.ts';
import { createRuntimeSettings } from '../administration/settings.ts';
import type { AuditEntry } from '../audit/audit-entry.ts';
import { readConfig } from '../config/config.ts';
import { createSnapshots } from '../results/snapshot/snapshots.ts';
import { createDiskSnapshots } from '../results/storage/disk-snapshots.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { openSqliteStore } from '../store/sql/sqlite/sqlite-store.ts';
import { createAuditArchive } from './audit-archive.ts';
import { type HousekeepingParts, startHousekeeping } from './housekeeping.ts';

const NOW = Date.parse('2026-11-15T10:00:00Z');
const DAY = 86_400_000;
let folder: string;
let store: MetadataStore;
let lines: string[];
let housekeeping: { stop: () => void } | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'housekeeping-'));
  store = await openSqliteStore(join(folder, 'metadata.sqlite'));
  lines = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  housekeeping?.stop();
  vi.useRealTimers();
  await store.close();
  await rm(folder, { recursive: true });
});

function start(parts: Partial<HousekeepingParts> = {}, environment: Record<string, string> = {}): void {
  housekeeping = startHousekeeping({
    settings: createRuntimeSettings({ config: readConfig(environment), store }),
    sharedLimits: null,
    clusterExecutions: { exchange: async () => undefined },
    snapshots: createSnapshots({
      storage: createDiskSnapshots({ folder: join(folder, 'snapshots'), now: () => NOW }),
      now: () => NOW,
    }),
    exportFiles: { sweep: async () => undefined },
    signIn: { signIn: never, signOut: never, sweep: async () => undefined },
    counters: [],
    unknownCallers: { sweep: async () => undefined },
    auditArchive: null,
    process: 'here',
    store,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    now: () => NOW,
    ...parts,
  });
}
const never = () => {
  throw new Error('not asked for');
};
const entry = (at: number): AuditEntry => ({
  at,
  requestId: `r${at}`,
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
  address: '',
  client: null,
  kind: 'person',
  viewer: null,
  application: null,
  cached: false,
});
const count = async () => (await store.audit.list({}, { limit: 100_000 })).items.length;

it('deletes all audit entries past their retention in one run, and no newer ones', async () => {
  const old = Array.from({ length: 5_001 }, (_, index) => entry(NOW - 8 * DAY - index));
  await store.audit.append([...old, entry(NOW - 7 * DAY), entry(NOW)]);
  start({}, { SLUICE_AUDIT_RETENTION_DAYS: '7' });
  await vi.advanceTimersByTimeAsync(600_000);
  await vi.waitFor(async () => expect(await count()).toBe(2), { timeout: 20_000 });
});

it('moves audit entries past their retention to the archive, if configured', async () => {
  await store.audit.append([entry(NOW - 9 * DAY), entry(NOW)]);
  const auditArchive = createAuditArchive({ folder: join(folder, 'archive'), store, process: 'here', now: () => NOW });
  start({ auditArchive }, { SLUICE_AUDIT_RETENTION_DAYS: '7' });
  await vi.advanceTimersByTimeAsync(600_000);
  await vi.waitFor(async () => expect(await count()).toBe(1), { timeout: 20_000 });
  expect(await readdir(join(folder, 'archive'))).toEqual(['audit-2026-11-06.ndjson.gz']);
});

it('keeps audit entries indefinitely without a retention', async () => {
  await store.audit.append([entry(0)]);
  start();
  await vi.advanceTimersByTimeAsync(1_200_000);
  expect(await count()).toBe(1);
});

it('deletes embeds that expired 30 days ago, and no others', async () => {
  const { id } = await addUser(store, 'ann');
  const ends = [NOW - 31 * DAY, NOW - 29 * DAY, NOW + DAY, null];
  for (const expiresAt of ends) await store.embeds.insert(embedOf(id, { expiresAt }));
  start();
  await vi.advanceTimersByTimeAsync(600_000);
  const left = async () => (await store.embeds.list({ limit: 10 })).items.map(({ expiresAt }) => expiresAt);
  await vi.waitFor(async () => expect(new Set(await left())).toEqual(new Set(ends.slice(1))), { timeout: 20_000 });
});

it('does not overlap runs of a task', async () => {
  let begun = 0;
  const gate = Promise.withResolvers<void>();
  const flush = async () => {
    begun++;
    await gate.promise;
  };
  start({ counters: [{ what: 'the use of keys', flush }] });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun).toBe(1);
  gate.resolve();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(begun).toBe(2);
});

it('logs a failed run, and tries again', async () => {
  let turns = 0;
  const flush = (): Promise<void> => {
    turns++;
    if (turns === 1) throw new Error('at once');
    return Promise.reject(new Error('a little later'));
  };
  start({ counters: [{ what: 'the use of keys', flush }] });
  await vi.advanceTimersByTimeAsync(6_000);
  expect(turns).toBe(3);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 40, err: expect.objectContaining({ message: 'at once' }) }),
    expect.objectContaining({ level: 40, err: expect.objectContaining({ message: 'a little later' }) }),
    expect.objectContaining({ msg: 'Recording the use of keys failed and will be retried' }),
  ]);
});

it('does nothing after it was stopped', async () => {
  let turns = 0;
  start({ counters: [{ what: 'the use of keys', flush: async () => void turns++ }] });
  housekeeping?.stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(turns).toBe(0);
  expect(lines).toEqual([]);
});
