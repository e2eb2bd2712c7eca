import { type CompiledQuery, sql } from 'kysely';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import type { AuditRepository } from '../metadata-store.ts';
import type { Atomically } from './atomically.ts';
import { entryOf, listAudit } from './audit-list.ts';
import { auditRowOf } from './audit-row.ts';
import { type HotQuery, hotQuery, runHot } from './hot-query.ts';
import type { Db } from './schema.ts';

export type AuditStatements = ReturnType<typeof auditStatements>;

/** The insert of `count` entries, compiled when it is first needed. */
export function auditStatements(db: Db) {
  const inserts = new Map<number, HotQuery<unknown>>();
  return {
    insertOf(count: number): HotQuery<unknown> {
      const known = inserts.get(count);
      if (known) return known;
      const rows = Array.from({ length: count }, () => auditRowOf(placeholder));
      const compiled: CompiledQuery<unknown> = db.insertInto('audit').values(rows).compile();
      const insert = hotQuery(`audit-${count}`, compiled);
      inserts.set(count, insert);
      return insert;
    },
  };
}

const rowsPerInsert = 64; // well below the parameter limits of both databases

export function auditRepository(db: Db, atomically: Atomically, statements: AuditStatements): AuditRepository {
  const insert = (on: Db, entries: readonly AuditEntry[]) =>
    runHot(
      on,
      statements.insertOf(entries.length),
      entries.flatMap((entry) => Object.values(auditRowOf(entry))),
    );

  return {
    async append(entries) {
      if (entries.length === 0) return;
      if (entries.length <= rowsPerInsert) {
        await insert(db, entries);
        return;
      }
      await atomically(async (inside) => {
        for (let start = 0; start < entries.length; start += rowsPerInsert) {
          await insert(inside, entries.slice(start, start + rowsPerInsert));
        }
      });
    },
    list: (filter, request) => listAudit(db, filter, request),
    async deleteBefore(at, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('audit')
        .where('seq', 'in', (eb) =>
          eb.selectFrom('audit').select('seq').where('at', '<', at).orderBy('at').orderBy('seq').limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    async oldest(before, { limit, behind }) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('at', '<', before)
        .$if(behind !== undefined, (query) => query.where(sql<boolean>`(at, seq) > (${behind?.at}, ${behind?.seq})`))
        .orderBy('at')
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(entryOf);
    },
    async delete(seqs) {
      if (seqs.length > 0) await db.deleteFrom('audit').where('seq', 'in', seqs).execute();
    },
  };
}

const placeholder: AuditEntry = {
  at: 0,
  requestId: '',
  userId: null,
  user: null,
  apiKey: null,
  action: '',
  query: null,
  queryVersion: null,
  parameters: null,
  channel: 'rest',
  outcome: 'ok',
  status: 0,
  error: null,
  rows: null,
  bytes: null,
  durationMs: 0,
  address: '',
  client: null,
  cached: false,
};
