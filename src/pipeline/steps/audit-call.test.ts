import { expect, it } from 'vitest';
import type { Principal } from '../../access/principal.ts';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import { failed, succeeded } from '../../core/errors.ts';
import { StoreError } from '../../store/metadata-store.ts';
import type { Call } from '../call.ts';
import { createAuditCall } from './audit-call.ts';

const call: Call = {
  requestId: 'r1',
  channel: 'rest',
  credential: { kind: 'basic', username: 'alice', password: 'secret' },
  address: '10.0.0.1',
  client: 'curl/8',
  startedAt: 1000,
  onEnd: () => undefined,
  signal: new AbortController().signal,
};
const principal: Principal = {
  userId: 'u1',
  userKind: 'person',
  username: 'Alice',
  fullName: '',
  email: '',
  roleIds: [],
  roleNames: [],
  permissions: [],
  databaseScope: '*',
  attributes: {},
  expiresAt: null,
  authentication: { kind: 'key', keyId: 'k1', keyName: 'nightly', expiresAt: null, queries: null, limits: null },
};

function recording(now = 1250) {
  const entries: AuditEntry[] = [];
  const log = { append: async (entry: AuditEntry) => void entries.push(entry), flush: async () => undefined };
  return { entries, auditCall: createAuditCall(log, () => now) };
}

it('records user, action, credential and outcome', async () => {
  const { entries, auditCall } = recording();
  const result = await auditCall(call, 'query.execute', async (draft) => {
    Object.assign(draft, { principal, query: 'QD_Sales', queryVersion: 2, parameters: { '@A': '1' }, rows: 3, bytes: 40 });
    return succeeded('page');
  });
  expect(result).toEqual(succeeded('page'));
  expect(entries).toEqual([
    {
      at: 1000,
      requestId: 'r1',
      userId: 'u1',
      user: 'Alice',
      apiKey: 'nightly',
      action: 'query.execute',
      query: 'QD_Sales',
      queryVersion: 2,
      parameters: { '@A': '1' },
      channel: 'rest',
      outcome: 'ok',
      status: 200,
      error: null,
      rows: 3,
      bytes: 40,
      durationMs: 250,
      address: '10.0.0.1',
      client: 'curl/8',
      kind: 'person',
      viewer: null,
      application: null,
      cached: false,
    },
  ]);
});

it.each([
  [{ kind: 'CredentialInvalid' }, 'refused', 401, 'credential_invalid'],
  [{ kind: 'Overloaded', retryAfterSeconds: 1 }, 'failed', 503, 'overloaded'],
  [{ kind: 'QueryFailed', cause: null }, 'failed', 500, 'query_failed'],
  [{ kind: 'QueryTimedOut', cause: null }, 'failed', 500, 'query_timed_out'],
  [{ kind: 'QueryCancelled', cause: null }, 'cancelled', 500, 'query_cancelled'],
] as const)('records %j as %s', async (failure, outcome, status, error) => {
  const { entries, auditCall } = recording();
  expect(await auditCall(call, 'query.execute', async () => failed(failure))).toEqual(failed(failure));
  expect(entries[0]).toMatchObject({ outcome, status, error, user: 'alice', userId: null, apiKey: null });
});

it('records defects, thrown synchronously or later, and returns them as failures', async () => {
  const { entries, auditCall } = recording();
  const cause = new Error('a defect');
  const atOnce = () => {
    throw cause;
  };
  expect(await auditCall(call, 'x', atOnce)).toEqual(failed({ kind: 'Internal', cause }));
  expect(await auditCall(call, 'x', () => Promise.reject(cause))).toEqual(failed({ kind: 'Internal', cause }));
  const down = new StoreError('unavailable', 'locked');
  expect(await auditCall(call, 'x', () => Promise.reject(down))).toEqual(failed({ kind: 'StoreUnavailable', cause: down }));
  expect(entries.map((each) => each.status)).toEqual([500, 500, 503]);
});

it('returns only after the entry is committed', async () => {
  const gate = Promise.withResolvers<void>();
  const auditCall = createAuditCall({ append: () => gate.promise, flush: async () => undefined }, () => 0);
  let isReturned = false;
  const returned = auditCall(call, 'x', async () => succeeded(null)).then(() => {
    isReturned = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isReturned).toBe(false);
  gate.resolve();
  await returned;
});

it('fails a call whose entry could not be written, although it succeeded', async () => {
  const cause = new StoreError('unavailable', 'disk full');
  const auditCall = createAuditCall({ append: () => Promise.reject(cause), flush: async () => undefined }, () => 0);
  expect(await auditCall(call, 'x', async () => succeeded('rows'))).toEqual(failed({ kind: 'StoreUnavailable', cause }));
});

it('truncates texts of unknown callers and never records a negative duration', async () => {
  const { entries, auditCall } = recording(0);
  const anonymous: Call = {
    ...call,
    credential: { kind: 'basic', username: 'x'.repeat(10_000), password: '' },
    address: 'y'.repeat(10_000),
  };
  await auditCall(anonymous, 'x', async () => failed({ kind: 'CredentialInvalid' }));
  expect(entries[0]).toMatchObject({ user: 'x'.repeat(100), address: 'y'.repeat(100), durationMs: 0 });
});
