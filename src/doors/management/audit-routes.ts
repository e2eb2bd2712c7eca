import { z } from 'zod';
import type { AuditTrail } from '../../administration/audit-trail.ts';
import { parseIsoTime } from '../../administration/iso-time.ts';
import { type AuditFilter, channels, outcomes } from '../../audit/audit-entry.ts';
import { filledFields } from '../../core/defined-fields.ts';
import { mapResult } from '../../core/errors.ts';
import { channel, nameSchemas, outcome, userKind } from '../http/operation.ts';
import { filterText, listResponse, pageFields, time } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const auditResponse = z.object({
  at: time.describe('When the call began.'),
  requestId: z.string(),
  user: z.string().nullable().describe('Name of the user; for a failed sign-in, the name that was tried.'),
  kind: userKind.nullable().describe('Of the user.'),
  viewer: z.string().nullable().describe('The viewer on whose behalf an application called.'),
  application: z.string().nullable().describe('The AI application that the user signed in from.'),
  apiKey: z.string().nullable().describe('Name of the API key that was used.'),
  action: z.string().describe('For example `query.execute` or `user.create`.'),
  query: z.string().nullable().describe('Technical name of the query.'),
  queryVersion: z.number().int().nullable(),
  parameters: z.record(z.string(), z.unknown()).readonly().nullable().describe('Parameters of the query, or what was changed.'),
  channel,
  outcome,
  status: z.number().int().describe('HTTP status of the response.'),
  error: z.string().nullable().describe('The error code, as in `code` of the response; null on success.'),
  rows: z.number().int().nullable(),
  bytes: z.number().int().nullable(),
  durationMs: z.number(),
  address: z.string(),
  client: z.string().nullable(),
  cached: z.boolean().describe('True if the rows come from an identical earlier call and the query was not run.'),
});

nameSchemas({ AuditEntry: auditResponse });

const auditPage = listResponse(auditResponse)
  .extend({ searchedFrom: time.optional().describe('Where a search without `from` begins: seven days ago.') })
  .meta({ id: 'AuditPage' });

const timeText = filterText.refine(
  (text) => text === '' || parseIsoTime(text, 'start') !== null,
  'Expected an ISO 8601 time or date.',
);
// an empty select of a form means none
const choice = <const T extends readonly string[]>(words: T) => z.enum(['', ...words]).optional();

const auditQuery = z.object({
  ...pageFields,
  from: timeText.optional().describe('Not before this time; a date means its beginning (UTC).'),
  to: timeText.optional().describe('Not after this time; a date means its end (UTC).'),
  user: filterText.optional().describe('Name of the user.'),
  action: filterText.optional().describe('For example `query.execute`, `user.create`, or the name of an MCP tool.'),
  query: filterText.optional().describe('Technical name of the query.'),
  channel: choice(channels),
  outcome: choice(outcomes),
  requestId: filterText.optional(),
  search: filterText
    .optional()
    .describe(
      'Part of the user name, full name, viewer, AI application, key, action, query, error code, address, client or request id. Without `from`, a list covers the last 7 days, and a file all entries.',
    ),
  format: z.enum(['json', 'csv', 'ndjson']).default('json').describe('`csv`, `ndjson`: all matching entries as a file.'),
});

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };

const route = routesOf({ tag: 'Audit', needs: 'audit.view', keys: 'whole' });

export function auditRoutes(trail: AuditTrail): readonly ManagementRoute[] {
  return [
    route('GET', '/audit', 'The audit trail, newest first', {
      id: 'listAuditEntries',
      query: auditQuery,
      response: auditPage,
      files: Object.values(types).map((type) => type.split(';')[0] ?? type),
      handle: async ({ query }) => {
        const filter = auditFilter(query);
        if (query.format === 'json') return trail.list(filter, { limit: query.limit, ...filledFields({ cursor: query.cursor }) });
        const file = { contentType: types[query.format], name: `audit.${query.format}` };
        return mapResult(await trail.export(filter, query.format), (body) => ({ file: { ...file, body } }));
      },
    }),
  ];
}

function auditFilter(query: z.output<typeof auditQuery>): AuditFilter {
  const { from, to, user, action, query: queryName, channel, outcome, requestId, search } = query;
  const until = to ? parseIsoTime(to, 'end') : null;
  return {
    ...filledFields({ user, action, query: queryName, channel, outcome, requestId, search }),
    ...filledFields({ from: from ? parseIsoTime(from, 'start') : null, to: until === null ? null : until + 1 }), // the store's bound is exclusive
  };
}
