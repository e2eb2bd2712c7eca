import type { AuditEntry, RecordedAuditEntry } from '../../../audit/audit-entry.ts';
import type { RowOf } from '../db.ts';
import { normalizeText, searchText } from '../statements/normalize-text.ts';

/** A row under the names of the database, because calls insert it without the query builder. Their order is that of the insert. */
export const auditRowOf = (entry: AuditEntry) => ({
  at: entry.at,
  request_id: entry.requestId,
  user_id: entry.userId,
  user_name: entry.user,
  user_key: entry.user === null ? null : normalizeText(entry.user),
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

/** Names the fields: during an upgrade a newer version may have added columns. */
export const entryOf = (row: RowOf<'audit'>): RecordedAuditEntry => ({
  seq: row.seq,
  at: row.at,
  requestId: row.requestId,
  userId: row.userId,
  user: row.userName,
  apiKey: row.apiKey,
  action: row.action,
  query: row.query,
  queryVersion: row.queryVersion,
  parameters: row.parameters === null ? null : JSON.parse(row.parameters),
  channel: row.channel,
  outcome: row.outcome,
  status: row.status,
  error: row.error,
  rows: row.rowCount,
  bytes: row.byteCount,
  durationMs: row.durationMs,
  address: row.address,
  client: row.client,
  cached: row.cached === 1,
});
