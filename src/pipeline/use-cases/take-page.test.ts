import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
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

beforeAll(async () => {
  catalog = await openCatalog();
  folder = await mkdtemp(join(tmpdir(), 'page-'));
  many = (await catalog.createActive({ name: 'Many', sql: 'select * from range(50000) t(n)', parameters: [] })).queryName;
});
afterAll(async () => {
  await catalog.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  snapshots = createSnapshots({ storage: createDiskSnapshots({ folder, now: Date.now }), now: Date.now });
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
const ask = (deliverPage: DeliverPage, { code, ...options }: PageOptions & { code?: string } = {}) => {
  const call: Call = {
    requestId: 'r1',
    channel: 'rest',
    credential: { kind: 'none' },
    address: '',
    client: null,
    startedAt: Date.now(),
    onEnd: () => undefined,
    signal: leaving.signal,
  };
  const query = { queryName: many };
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
