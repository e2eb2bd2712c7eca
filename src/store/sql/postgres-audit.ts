import type { Pool } from 'pg';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import { auditRowOf } from './audit-row.ts';
import { runOnce } from './postgres-driver.ts';
import { isValueError } from './store-errors.ts';

/** All entries in one commit: one statement for any number of them, prepared once, with the rows as one parameter. */
export async function appendAudit(pool: Pool, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(auditRowOf);
  try {
    await runOnce(pool, { name: 'audit', text: textOf(Object.keys(rows[0] ?? {})), values: [jsonOf(rows)] });
  } catch (error) {
    if (isValueError(error)) throw new TypeError('An audit entry cannot be stored.', { cause: error }); // the store is fine
    throw error;
  }
}

let text: string | undefined;
const textOf = (columns: readonly string[]): string =>
  (text ??= `insert into audit (${columns.join()}) select ${columns.join()} from json_populate_recordset(null::audit, $1)`);

/** PostgreSQL's text has neither NUL nor halves of surrogate pairs. JSON writes both as escapes, which few entries have. */
function jsonOf(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  if (!/\\u(0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  );
}
