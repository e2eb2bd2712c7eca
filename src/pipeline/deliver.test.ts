import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expectSuccess, failureOf, NOW } from '../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../test/support/queries/catalog.ts';
import type { Principal } from '../access/principal.ts';
import type { AuditEntry } from '../audit/audit-entry.ts';
import { UTC } from '../catalog/time-zone.ts';
import { type Config, readConfig } from '../config/config.ts';
import { failed, fieldMissing, type Result, succeeded } from '../core/errors.ts';
import { createContinuations } from '../results/continuation.ts';
import { StoreError } from '../store/metadata-store.ts';
import type { RunForm } from './authorized.ts';
import type { Call } from './call.ts';
import { createDeliver, type Deliver, type DeliverParts } from './deliver.ts';
import { createCheckRate } from './limits/key-limits.ts';
import { createKeyRows, createRowQuota, type KeyRows } from './limits/row-quota.ts';
import { createUnsentBytes } from './limits/unsent-bytes.ts';
import { createAuditCall } from './steps/audit-call.ts';
import { createBrowse } from './use-cases/browse.ts';

let catalog: Catalog;
let queryName: string;
let entries: AuditEntry[];
let steps: string[];
let principal: Result<Principal>;
let config: Config;
let keyRows: KeyRows;

beforeAll(async () => {
  catalog = await openCatalog();
  const parameters = [
    { name: '@Region', dataType: 'nvarchar(50)', required: true },
    { name: '@Pin', dataType: 'int', required: false, masked: true },
  ];
  const sql = 'select region from orders where region = @Region and id <> coalesce(@Pin, 0)';
  queryName = (await catalog.createActive({ sql, parameters })).queryName;
});
afterAll(() => catalog.close());
beforeEach(() => {
  entries = [];
  steps = [];
  principal = succeeded(catalog.admin);
  config = readConfig({});
  keyRows = createKeyRows(catalog.store.apiKeys, () => NOW);
});

const call: Call = {
  requestId: 'r1',
  channel: 'rest',
  credential: { kind: 'none' },
  address: '10.0.0.1',
  client: null,
  startedAt: NOW,
  onEnd: () => undefined,
  signal: new AbortController().signal,
};
const parts = (changes: Partial<DeliverParts> = {}): DeliverParts => ({
  store: catalog.store,
  authenticate: async () => {
    steps.push('authenticate');
    return principal;
  },
  auditCall: createAuditCall({ append: async (entry) => void entries.push(entry), flush: async () => undefined }, () => NOW),
  checkRate: createCheckRate(
    () => config,
    () => NOW,
  ),
  unsent: createUnsentBytes({ perUser: 1 << 20, inAll: 1 << 20 }),
  rowQuota: createRowQuota(
    keyRows,
    () => config,
    () => NOW,
  ),
  now: () => NOW,
  zone: UTC,
  checkChoices: async () => succeeded(null),
  countRun: () => undefined,
  continuations: createContinuations(Buffer.alloc(32)),
  snapshots: { manifest: async () => null },
  ...changes,
});
const form =
  (changes: Partial<RunForm> = {}) =>
  (): Result<RunForm> => {
    steps.push('form');
    return succeeded({ run: { queryName }, parameters: [{ ParameterName: '@Region', Value: 'North' }], ...changes });
  };
const run = (deliver: Deliver, read: () => Result<RunForm> = form()) =>
  deliver({ call, action: 'query.execute', form: read }, async ({ values, database, query }) => {
    steps.push('take');
    return succeeded({ values, database: database.name, status: query.status });
  });

it('authenticates, reads the form, authorizes, binds and runs the use-case, in this order', async () => {
  const authorized = expectSuccess(await run(createDeliver(parts())));
  expect(steps).toEqual(['authenticate', 'form', 'take']);
  expect(authorized).toMatchObject({ database: 'Sales', status: 'Active' });
  expect(authorized.values).toMatchObject([
    { name: '@Region', value: 'North' },
    { name: '@Pin', value: null },
  ]);
  expect(entries).toMatchObject([{ user: 'admin', query: queryName, queryVersion: 1, outcome: 'ok', status: 200 }]);
});

it('does not read the form without a valid credential', async () => {
  principal = failed({ kind: 'CredentialInvalid' });
  expect(failureOf(await run(createDeliver(parts()))).kind).toBe('CredentialInvalid');
  expect(steps).toEqual(['authenticate']);
  expect(entries).toMatchObject([{ outcome: 'refused', status: 401, query: null }]);
});

it('reports an invalid form before the query, and the query before its parameters', async () => {
  const deliver = createDeliver(parts());
  const bad = () => failed(fieldMissing('QueryName'));
  expect(failureOf(await run(deliver, bad)).kind).toBe('FieldMissing');
  const noise = [{ ParameterName: '@Nothing', Value: 'x' }];
  expect(failureOf(await run(deliver, form({ run: { queryName: 'QD_None' }, parameters: noise }))).kind).toBe(
    'QueryNotAccessible',
  );
  expect(failureOf(await run(deliver, form({ parameters: noise }))).kind).toBe('ParameterUnknown');
  expect(steps).not.toContain('take');
});

it('masks declared values in the audit trail, and truncates unknown query names', async () => {
  const parameters = [
    { ParameterName: '@Region', Value: 'North' },
    { ParameterName: '@Pin', Value: '1234' },
  ];
  expectSuccess(await run(createDeliver(parts()), form({ parameters })));
  expect(entries[0]?.parameters).toEqual({ '@Region': 'North', '@Pin': '***' });
  await run(createDeliver(parts()), form({ run: { queryName: 'x'.repeat(5000) } }));
  expect(entries[1]?.query).toHaveLength(300);
});

it('returns the same failure for a query that is unknown, not Active, out of scope or on a disabled database', async () => {
  const deliver = createDeliver(parts());
  const refusals = [
    await run(deliver, form({ run: { queryName: 'QD_None' } })),
    await run(deliver, form({ run: { queryName: `${queryName}\0` } })),
  ];
  principal = succeeded({ ...catalog.admin, databaseScope: [] });
  refusals.push(await run(deliver));
  principal = succeeded(catalog.admin);
  const database = await catalog.database('sales');
  for (const off of [{ disabled: true }, { deletedAt: NOW }]) {
    const databases = { ...catalog.store.databases, get: async () => ({ ...database, ...off }) };
    refusals.push(await run(createDeliver(parts({ store: { ...catalog.store, databases } }))));
  }
  expect(refusals).toEqual(Array(5).fill(failed({ kind: 'QueryNotAccessible' })));
});

it('bounds the calls per second of a key, and of no other credential', async () => {
  config = readConfig({ SLUICE_RATE_PER_KEY: '2' });
  const deliver = createDeliver(parts());
  for (let time = 0; time < 5; time++) expectSuccess(await run(deliver));
  const authentication = { kind: 'key', keyId: 'k1', keyName: 'k', expiresAt: null, queries: null, limits: null } as const;
  principal = succeeded({ ...catalog.admin, authentication });
  expectSuccess(await run(deliver));
  expectSuccess(await run(deliver));
  expect(failureOf(await run(deliver))).toEqual({ kind: 'RateExceeded', retryAfterSeconds: 1 });
  expect(entries.at(-1)).toMatchObject({ status: 429, outcome: 'refused', apiKey: 'k', query: null });
});

it('counts the rows of a key, and runs nothing after its limit for the day', async () => {
  const deliver = createDeliver(parts());
  const giving = (rows: number) =>
    deliver({ call, action: 'query.execute', form: form() }, async ({ draft, allowance }) => {
      const held = await allowance.hold(rows);
      if (!held.ok) return held;
      draft.rows = held.value;
      return rows > 99 ? failed({ kind: 'QueryFailed', cause: null }) : succeeded(rows);
    });
  const authentication = {
    kind: 'key',
    keyId: 'k1',
    keyName: 'k',
    expiresAt: null,
    queries: null,
    limits: { rowsPerDay: 10 },
  } as const;
  principal = succeeded({ ...catalog.admin, authentication });
  for (const rows of [9, 500, 3]) await giving(rows); // one of them failed, and the last gets what is left
  expect(failureOf(await giving(1))).toEqual({
    kind: 'RowsExceeded',
    most: 10,
    had: 10,
    held: 0,
    resetsAt: Date.UTC(2026, 10, 16),
    retryAfterSeconds: 14 * 3600,
  });
  expect(entries.at(-1)).toMatchObject({ status: 429, outcome: 'refused', query: queryName, rows: null });
  principal = succeeded(catalog.admin);
  expectSuccess(await giving(1));
});

it('returns a failure and records it if the store fails during the call', async () => {
  const queries = { ...catalog.store.queries, byQueryName: () => Promise.reject(new StoreError('unavailable', 'locked')) };
  const deliver = createDeliver(parts({ store: { ...catalog.store, queries } }));
  expect(failureOf(await run(deliver)).kind).toBe('StoreUnavailable');
  expect(entries).toMatchObject([{ outcome: 'failed', status: 503 }]);
});

it('returns the parameters of a query to callers who may run it', async () => {
  const browse = createBrowse({ ...parts(), connections: catalog.connections, flushRuns: async () => undefined });
  const { query } = expectSuccess(await browse.parameters(call, () => succeeded({ queryName })));
  expect(query.current.definition.parameters.map((each) => each.name)).toEqual(['@Region', '@Pin']);
  principal = succeeded({ ...catalog.admin, permissions: [] });
  expect(failureOf(await browse.parameters(call, () => succeeded({ queryName }))).kind).toBe('QueryNotAccessible');
  expect(entries.map((each) => [each.action, each.status])).toEqual([
    ['query.parameters', 200],
    ['query.parameters', 403],
  ]);
});
