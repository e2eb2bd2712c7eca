import { sql } from 'kysely';
import type { AuditEntry } from '../../../audit/audit-entry.ts';
import type { AuditRepository } from '../../metadata-store.ts';
import type { SqlKind } from '../migrations/migration.ts';
import type { Db } from '../schema.ts';
import type { Atomically } from '../statements/run-in-transaction.ts';
import { listAudit } from './audit-list.ts';
import { addMonths } from './audit-partitions.ts';
import { auditRowOf, entryOf } from './audit-row.ts';
import { failuresOf, readLastRunsBy, listLatestSince } from './audit-runs.ts';

const ROWS_PER_INSERT = 64; // well below the parameter limits of both databases

/** Each database has a faster `append` for the entries of calls; this one is for use in a transaction. */
export function auditRepository(db: Db, kind: SqlKind, atomically: Atomically): AuditRepository {
  return {
    append: (entries) =>
      atomically(async (inside) => {
        if (kind === 'postgres')
          await addMonths(
            inside,
            entries.map(({ at }) => at),
          );
        for (let start = 0; start < entries.length; start += ROWS_PER_INSERT) {
          await insertAudit(inside, entries.slice(start, start + ROWS_PER_INSERT));
        }
      }),
    list: (filter, request) => listAudit(db, kind, filter, request),
    failuresOf: (...request) => failuresOf(db, ...request),
    readLastRunsBy: (...request) => readLastRunsBy(db, ...request),
    listLatestSince: (...request) => listLatestSince(db, kind, ...request),
    async deleteBefore(at, limit) {
      const oldest = db.selectFrom('audit').select('seq').where('at', '<', at).orderBy('at').orderBy('seq').limit(limit);
      let deletion = db.deleteFrom('audit');
      // PostgreSQL reads a whole month to join it; `at` limits the months
      if (kind === 'postgres') deletion = deletion.where('at', '<', at).where(sql<boolean>`seq = any(array(${oldest}))`);
      else deletion = deletion.where('seq', 'in', oldest);
      const { numDeletedRows } = await deletion.executeTakeFirst();
      return Number(numDeletedRows);
    },
    async listOldest(before, { limit, behind }) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('at', '<', before)
        .$if(behind !== undefined, (query) => query.where(sql<boolean>`(at, seq) > (${behind?.at}, ${behind?.seq})`))
        .$if(behind !== undefined && kind === 'postgres', (query) => query.where('at', '>=', behind?.at ?? 0))
        .orderBy('at')
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(entryOf);
    },
    async delete(seqs) {
      if (seqs.length > 0) await db.deleteFrom('audit').where('seq', 'in', seqs).execute();
    },
    keepPartitions: null,
  };
}

async function insertAudit(db: Db, entries: readonly AuditEntry[]): Promise<void> {
  const rows = entries.map(auditRowOf);
  const columns = sql.raw(Object.keys(rows[0] ?? {}).join());
  const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
  await sql`insert into audit (${columns}) values ${sql.join(values)}`.execute(db);
}
