import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { expectSuccess, failureOf } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../../test/support/queries/catalog.ts';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import { UTC } from '../../catalog/time-zone.ts';
import { readConfig } from '../../config/config.ts';
import { succeeded } from '../../core/errors.ts';
import { createContinuations } from '../../results/continuation.ts';
import { createSnapshots, type Snapshots } from '../../results/snapshot/snapshots.ts';
import { createDiskSnapshots } from '../../results/storage/disk-snapshots.ts';
import type { Call } from '../call.ts';
import { createDeliver } from '../deliver.ts';
import { createExecutions, type Executions } from '../executions.ts';
import { type Admission, createAdmission } from '../limits/admission.ts';
import { createCheckRate, createKeySlots } from '../limits/key-limits.ts';
import { createKeyRows, createRowQuota } from '../limits/row-quota.ts';
import { createUnsentBytes } from '../limits/unsent-bytes.ts';
import { createAuditCall } from '../steps/audit-call.ts';
import { createExecute } from '../steps/execute.ts';
import type { DeliverPage, PageOptions } from './page.ts';
import { createDeliverPage, createTakePage } from './take-page.ts';

// What callers see of pages is tried over HTTP; here is what they cannot bring about.
let catalog: Catalog;
let folder: string;
let snapshots: Snapshots;
let admission: Admission;
let executions: Executions;
let entries: AuditEntry[];
let leaving: AbortController;
let many: string;
let busy: string;

beforeAll(async () => {
  catalog = await openCatalog();
  folder = await mkdtemp(join(tmpdir(), 'page-'));
  many = (await catalog.createActive({ name: 'Many', sql: 'select * from range(50000) t(n)', parameters: [] })).queryName;
  const sql = 'select count(*) as n from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7';
  busy = (await catalog.createActive({ name: 'Busy', sql, parameters: [] })).queryName;
});
afterAll(async () => {
  await catalog.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  const storage = createDiskSnapshots({ folder, now: Date.now });
  snapshots = createSnapshots({ storage, now: Date.now, unaskedMs: 600 });
  admission = createAdmission({ perDatabase: 2, perUser: 2, inAll: 2, queue: 10, queueMs: 5000 });
  executions = createExecutions();
  entries = [];
  leaving = new AbortController();
});

function pages(changes: Partial<Snapshots> = {}): DeliverPage {
  const { store, connections } = catalog;
  const config = () => readConfig({});
  const auditCall = createAuditCall(
    { append: async (entry) => void entries.push(entry), flush: async () => undefined },
    Date.now,
  );
  const authenticate = async () => succeeded(catalog.admin);
  const continuations = createContinuations(Buffer.alloc(32, 1));
  return createDeliverPage(
    createDeliver({
      store,
      continuations,
      snapshots,
      authenticate,
      auditCall,
      checkRate: createCheckRate(config, Date.now),
      unsent: createUnsentBytes({ perUser: 64 << 20, inAll: 64 << 20 }),
      rowQuota: createRowQuota(createKeyRows(store.apiKeys, Date.now), config, Date.now),
      now: Date.now,
      zone: UTC,
      checkChoices: async () => succeeded(null),
      countRun: () => undefined,
    }),
    createTakePage({
      nameValues: (digest) => digest,
      execute: createExecute({ admission, keySlots: createKeySlots(config), connections, executions, config }),
      snapshots: { ...snapshots, ...changes },
      continuations,
      config,
      now: Date.now,
      onLateFailure: () => undefined,
      executions,
    }),
  );
}
interface Ask extends PageOptions {
  readonly code?: string;
  readonly queryName?: string;
  readonly waitMs?: number;
}
const ask = (deliverPage: DeliverPage, { code, queryName = many, waitMs, ...options }: Ask = {}) => {
  const call: Call = {
    requestId: 'r1',
    channel: 'rest',
    credential: { kind: 'none' },
    address: '',
    client: null,
    startedAt: Date.now(),
    onEnd: () => undefined,
    signal: leaving.signal,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
  const query = { queryName };
  const form =
    code === undefined ? { run: query, parameters: [] } : { continue: code, kind: 'page' as const, query, parameters: [] };
  return deliverPage(call, () => succeeded({ ...form, rowSize: 10, ...options }));
};
const idle = async () => {
  await snapshots.close({ graceMs: 5000 });
  expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
  expect(executions.list()).toEqual([]);
};

it('continues to drain after the first page when its caller disconnects, and releases its slot', async () => {
  const first = expectSuccess(await ask(pages()));
  leaving.abort();
  await idle();
  leaving = new AbortController();
  const last = expectSuccess(await ask(pages(), { code: first.code ?? '', rowIndex: 49_995 }));
  expect(last).toMatchObject({ nextRowIndex: 50_000, code: null });
});

it('releases its slot if something fails before the rows are read', async () => {
  const failure = failureOf(
    await ask(
      pages({
        take: () => {
          throw new TypeError('a defect');
        },
      }),
    ),
  );
  expect(failure.kind).toBe('Internal');
  await idle();
});

it('is cancelled, not a defect, when the caller disconnects while waiting for a page', async () => {
  const first = expectSuccess(await ask(pages()));
  const waiting = pages({
    read: async (_, { signal }) => {
      leaving.abort();
      signal?.throwIfAborted();
      return { kind: 'gone' };
    },
  });
  expect(failureOf(await ask(waiting, { code: first.code ?? '' })).kind).toBe('QueryCancelled');
  expect(entries.at(-1)).toMatchObject({ action: 'query.next-page', outcome: 'cancelled' });
  await idle();
});

it('reports a store failure, not an invalid code, if a snapshot cannot be read', async () => {
  const first = expectSuccess(await ask(pages()));
  const broken = pages({ read: () => Promise.reject(new Error('EIO: i/o error')) });
  expect(failureOf(await ask(broken, { code: first.code ?? '' })).kind).toBe('StoreUnavailable');
  await idle();
});

it('never returns more rows than the maximum Row Size, whatever the code was issued with', async () => {
  expect(expectSuccess(await ask(pages(), { rowSize: 5000 }))).toMatchObject({ rowSize: 1000, nextRowIndex: 1000 });
  await idle();
});

it('ends an execution without a first page when nobody has asked for it for a while, and not before', async () => {
  const first = expectSuccess(await ask(pages(), { queryName: busy, waitMs: 50 }));
  expect(first).toMatchObject({ isRunning: true, nextRowIndex: 0, code: expect.any(String) });
  leaving.abort(); // its call has a response
  leaving = new AbortController();
  const asked = { queryName: busy, code: first.code ?? '' };
  for (let round = 0; round < 3; round++) {
    const again = expectSuccess(await ask(pages(), { ...asked, waitMs: 500 }));
    expect(again).toMatchObject({ isRunning: true, code: first.code });
  }
  expect(executions.list()).toMatchObject([{ query: busy, state: 'running' }]);
  expect(admission.counts()).toEqual({ running: 1, waiting: 0 });
  await vi.waitFor(() => expect(executions.list()).toEqual([]), 5000);
  expect(failureOf(await ask(pages(), asked))).toMatchObject({ kind: 'ContinuationExpired', abandoned: true });
  expect(entries.map(({ outcome, rows }) => [outcome, rows])).toEqual([...Array(4).fill(['ok', null]), ['refused', null]]);
  await idle();
});

it('ends an execution that was handed over when the process stops', async () => {
  const first = expectSuccess(await ask(pages(), { queryName: busy, waitMs: 50 }));
  await snapshots.close({ graceMs: 0 });
  await idle();
  const failure = failureOf(await ask(pages(), { queryName: busy, code: first.code ?? '' }));
  expect(failure).toMatchObject({ kind: 'QueryCancelled', by: 'shutdown' });
});

it('waits on if a long execution cannot be handed over', async () => {
  const storage = {
    ...createDiskSnapshots({ folder, now: Date.now }),
    create: () => Promise.reject(new Error('EIO: i/o error')),
  };
  const broken = createSnapshots({ storage, now: Date.now });
  const deliverPage = pages({ begin: broken.begin });
  const waiting = ask(deliverPage, { queryName: busy, waitMs: 50 });
  await vi.waitFor(() => expect(executions.list()).toHaveLength(1));
  setTimeout(() => leaving.abort(), 300);
  expect(failureOf(await waiting).kind).toBe('QueryCancelled');
  await idle();
});
