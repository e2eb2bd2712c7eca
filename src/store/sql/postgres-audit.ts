import type { Pool } from 'pg';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import { auditRowOf } from './audit-row.ts';
import { runPrepared } from './postgres-driver.ts';
import { isValueError } from './store-errors.ts';

/** Commits all entries with one prepared statement, whose parameter is the rows as JSON. */
export async function appendAudit(pool: Pool, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(auditRowOf);
  try {
    await runPrepared(pool, 'audit', insertOf(Object.keys(rows[0] ?? {})), [jsonOf(rows)]);
  } catch (error) {
    if (isValueError(error)) throw new TypeError('An audit entry cannot be stored.', { cause: error }); // a defect, the store is available
    throw error;
  }
}

let insert: string | undefined;
const insertOf = (columns: readonly string[]): string =>
  (insert ??= `insert into audit (${columns.join()}) select ${columns.join()} from json_populate_recordset(null::audit, $1)`);

/** PostgreSQL rejects NUL and lone surrogates in text. JSON writes both as escapes, which few entries have. */
function jsonOf(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  if (!/\\u(0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  );
}
