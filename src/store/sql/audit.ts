import { type CompiledQuery, type Selectable, sql } from 'kysely';
import type { AuditEntry, AuditFilter, Channel, Outcome, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import type { AuditRepository } from '../metadata-store.ts';
import type { Atomically } from './atomically.ts';
import { auditRowOf } from './audit-row.ts';
import { fold } from './fold.ts';
import { type HotQuery, hotQuery, runHot } from './hot-query.ts';
import { contains, isWhole, pageOf, readCursor } from './list-page.ts';
import type { Db, Tables } from './schema.ts';

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
    async list(filter, { limit, cursor }) {
      const before = readCursor(cursor, isWhole, isWhole);
      const rows = await filtered(db, filter)
        .$if(before !== null, (query) => query.where(sql<boolean>`(at, seq) < (${before?.[0]}, ${before?.[1]})`))
        .orderBy('at', 'desc')
        .orderBy('seq', 'desc')
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, (row) => [row.at, row.seq], entryOf);
    },
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

function filtered(db: Db, filter: AuditFilter) {
  let query = db.selectFrom('audit').selectAll();
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('at', '<', filter.to);
  if (filter.user !== undefined) query = query.where('user_key', '=', fold(filter.user));
  if (filter.query !== undefined) query = query.where('query', '=', filter.query);
  if (filter.channel !== undefined) query = query.where('channel', '=', filter.channel);
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome);
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  if (filter.search) {
    const { search } = filter;
    // the entry has the user name alone: people are also looked for by the full name that they have now
    const named = db.selectFrom('users').select('id').where(contains('search_text', search));
    query = query.where((is) => is.or([contains('audit.search_text', search), is('user_id', 'in', named)]));
  }
  return query;
}

const entryOf = (row: Selectable<Tables['audit']>): RecordedAuditEntry => ({
  seq: row.seq,
  at: row.at,
  requestId: row.request_id,
  userId: row.user_id,
  user: row.user_name,
  apiKey: row.api_key,
  action: row.action,
  query: row.query,
  queryVersion: row.query_version,
  parameters: row.parameters === null ? null : JSON.parse(row.parameters),
  channel: row.channel as Channel, // as we wrote it
  outcome: row.outcome as Outcome,
  status: row.status,
  error: row.error,
  rows: row.row_count,
  bytes: row.byte_count,
  durationMs: row.duration_ms,
  address: row.address,
  client: row.client,
  cached: row.cached === 1,
});

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
