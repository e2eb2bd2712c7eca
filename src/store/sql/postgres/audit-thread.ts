import { workerData } from 'node:worker_threads';
import type { AuditEntry } from '../../../audit/audit-entry.ts';
import { addMonths } from '../audit/audit-partitions.ts';
import { auditRowOf } from '../audit/audit-row.ts';
import type { Batch } from '../audit/audit-threads.ts';
import { respondWith } from '../audit/respond-with.ts';
import { openDb } from '../db.ts';
import { isCheckViolation, isValueError } from '../statements/store-errors.ts';
import { openPool, postgresDialect, runPrepared } from './driver.ts';

const { url }: { url: string } = workerData;
const pool = openPool(url, { max: 1 });

/** Commits all entries with one prepared statement, whose parameter is the rows as JSON. */
respondWith<Batch, null>(async (batch) => {
  const entries: readonly AuditEntry[] = JSON.parse(batch);
  const rows = entries.map(auditRowOf);
  const insertRows = () => runPrepared(pool, 'audit', insertOf(Object.keys(rows[0] ?? {})), [jsonOf(rows)]);
  try {
    await insertRows().catch(async (error: unknown) => {
      if (!isCheckViolation(error)) throw error;
      const times = entries.map(({ at }) => at);
      await addMonths(openDb(postgresDialect(pool)), times); // by a clock that is far off, or housekeeping did not run for months
      await insertRows();
    });
    return null;
  } catch (error) {
    if (isValueError(error)) throw new TypeError('An audit entry cannot be stored.', { cause: error }); // a defect, the store is available
    throw error;
  }
});

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
