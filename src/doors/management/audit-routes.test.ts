import { expect, it } from 'vitest';
import { expectSuccess } from '../../../test/support/people/people.ts';
import type { AuditTrail } from '../../administration/audit-trail.ts';
import type { AuditFilter } from '../../audit/audit-entry.ts';
import { succeeded } from '../../core/errors.ts';
import { auditRoutes } from './audit-routes.ts';
import type { ManagementRoute } from './management-route.ts';

const asked: AuditFilter[] = [];
const trail: AuditTrail = {
  list: async (filter) => {
    asked.push(filter);
    return succeeded({ items: [], nextCursor: null });
  },
  export: async (filter) => {
    asked.push(filter);
    return succeeded(pieces());
  },
};
async function* pieces() {
  yield 'at';
}

const [route] = auditRoutes(trail) as [ManagementRoute];
const refusedFields = (query: unknown) => route.query?.safeParse(query).error?.issues.map((issue) => issue.path.join('.'));
const call = (query: unknown) =>
  route.handle({ query: route.query?.parse(query) } as unknown as Parameters<ManagementRoute['handle']>[0]);

it.each([
  ['from', 'yesterday'],
  ['to', '2026-13-01'],
  ['channel', 'pigeon'],
  ['outcome', 'fine'],
  ['format', 'xml'],
  ['user', 'a\0b'],
])('rejects an invalid %s by name', (field, value) => {
  expect(refusedFields({ [field]: value })).toEqual([field]);
});

it('includes both days of a date range, and ignores empty fields', async () => {
  const query = {
    from: '2026-11-14',
    to: '2026-11-15',
    user: 'bob',
    action: 'key.create',
    channel: 'mcp',
    outcome: '',
    query: '',
    requestId: '',
  };
  expectSuccess(await call(query));
  const [from, to] = [Date.parse('2026-11-14T00:00:00Z'), Date.parse('2026-11-16T00:00:00Z')];
  expect(asked.at(-1)).toEqual({ from, to, user: 'bob', action: 'key.create', channel: 'mcp' });
});

it('returns a file for format=ndjson', async () => {
  expect(expectSuccess(await call({ format: 'ndjson' }))).toMatchObject({
    file: { name: 'audit.ndjson', contentType: 'application/x-ndjson' },
  });
});

it('returns a file for format=csv', async () => {
  expect(expectSuccess(await call({ format: 'csv', query: 'QD_A_Sales' }))).toMatchObject({
    file: { name: 'audit.csv', contentType: 'text/csv; charset=utf-8' },
  });
  expect(asked.at(-1)).toEqual({ query: 'QD_A_Sales' });
});
