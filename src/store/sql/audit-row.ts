import type { Insertable } from 'kysely';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import { flag, type Tables } from './schema.ts';
import { normalized, searchText } from './text.ts';

/** An entry as a row; the order of the fields is the order of the columns in every insert. */
export const auditRowOf = (entry: AuditEntry): Insertable<Tables['audit']> => ({
  at: entry.at,
  request_id: entry.requestId,
  user_id: entry.userId,
  user_name: entry.user,
  user_key: entry.user === null ? null : normalized(entry.user),
  api_key: entry.apiKey,
  action: entry.action,
  query: entry.query,
  query_version: entry.queryVersion,
  parameters: entry.parameters === null ? null : JSON.stringify(entry.parameters),
  channel: entry.channel,
  outcome: entry.outcome,
  status: entry.status,
  error: entry.error,
  row_count: entry.rows,
  byte_count: entry.bytes,
  duration_ms: Math.round(entry.durationMs),
  address: entry.address,
  client: entry.client,
  cached: flag(entry.cached),
  search_text: searchText(
    ...[entry.requestId, entry.user, entry.apiKey, entry.action, entry.query, entry.error, entry.address, entry.client].filter(
      (part) => part !== null,
    ),
  ),
});
