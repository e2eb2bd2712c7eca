import type { AuditEntry, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import type { RowOf } from './schema.ts';
import { normalized, searchText } from './text.ts';

/** A row under the names of the database, because calls insert it without the query builder. Their order is that of the insert. */
export const auditRowOf = (entry: AuditEntry) => ({
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
  cached: entry.cached ? 1 : 0,
  search_text: searchText(
    ...[entry.requestId, entry.user, entry.apiKey, entry.action, entry.query, entry.error, entry.address, entry.client].filter(
      (part) => part !== null,
    ),
  ),
});

export function entryOf(row: RowOf<'audit'>): RecordedAuditEntry {
  const { userName: user, userKey, rowCount: rows, byteCount: bytes, searchText: _, parameters, cached, ...entry } = row;
  return { ...entry, user, rows, bytes, parameters: parameters === null ? null : JSON.parse(parameters), cached: cached === 1 };
}
