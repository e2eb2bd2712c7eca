import { expect, it } from 'vitest';
import { failureTable, type Failure } from './errors.ts';
import { explain } from './explain.ts';

const CAUSE = new Error('relation "secret_table" does not exist at /var/lib/db');
const every: readonly Failure[] = Object.keys(failureTable).map(
  (kind) =>
    ({
      kind,
      cause: CAUSE,
      retryAfterSeconds: 7,
      most: 100,
      size: 5000,
      had: 103,
      resetsAt: Date.UTC(2026, 10, 16),
      permission: 'audit.view',
      source: 'user.attributes.region',
      reason: 'Because of it.',
      field: 'QueryName',
      ...(/^(Field|Parameter)/.test(kind) ? { problems: [{ field: '@Region', message: 'It is required.' }] } : {}),
      changes: [{ field: 'columns.margin', message: 'The column margin was removed.' }],
      message: 'Syntax error.',
      what: 'such path',
      allow: ['GET', 'PUT'],
      requested: '2030-01-01',
      uri: 'ui://sluice/none',
      extension: 'io.modelcontextprotocol/tasks',
      supported: ['2026-07-28'],
    }) as unknown as Failure,
);

it.each(every.map((failure) => [failure.kind, failure] as const))(
  '%s has a stable word, a status and a sentence',
  (_, failure) => {
    const { code, status, rpc, title } = failureTable[failure.kind];
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(Number.isInteger(rpc)).toBe(true);
    expect(title).toMatch(/^[A-Z]/);
    const sentence = explain(failure, 'request-1');
    expect(sentence).toMatch(/[.!]$/);
    expect(sentence).not.toContain('secret_table');
    expect(sentence).not.toContain('undefined');
  },
);

it('never uses a code twice', () => {
  const words = Object.values(failureTable).map((row) => row.code);
  expect(new Set(words).size).toBe(words.length);
});

it('uses the statuses and codes of the contract, and none with a special meaning to clients', () => {
  const statuses = new Set(Object.values(failureTable).map((row) => row.status));
  expect([...statuses].toSorted()).toEqual([400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 416, 429, 500, 503]);
  for (const { rpc } of Object.values(failureTable)) expect([401, -32001]).not.toContain(rpc);
});

it('includes the request id if only the log has the detail', () => {
  for (const failure of every.filter((each) => failureTable[each.kind].status === 500)) {
    expect(explain(failure, 'request-1'), failure.kind).toContain('request-1');
  }
});
