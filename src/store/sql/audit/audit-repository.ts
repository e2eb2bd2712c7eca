import { type RawBuilder, sql } from 'kysely';
import type { AuditEntry } from '../../../audit/audit-entry.ts';
import type { AuditRepository, CountedEntry, QueryFailures } from '../../metadata-store.ts';
import type { Atomically, Db } from '../db.ts';
import type { SqlKind } from '../migrations/migration.ts';
import { normalizeText } from '../statements/normalize-text.ts';
import { listAudit } from './audit-list.ts';
import { addMonths } from './audit-partitions.ts';
import { auditRowOf, entryOf } from './audit-row.ts';
import { readCallers } from './query-callers.ts';

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
    readCallers: (request) => readCallers(db, kind, request),
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

const isRun: RawBuilder<boolean> = sql`action in ('query.execute', 'query.export')`;

async function failuresOf(
  db: Db,
  ...[query, { since, among }]: Parameters<AuditRepository['failuresOf']>
): Promise<QueryFailures | null> {
  const { rows } = await sql<QueryFailures>`
    with latest as (
      select channel, outcome, error, at, seq from audit where query = ${query} and at >= ${since}
      order by at desc, seq desc limit ${among}
    ), runs as (select * from latest where channel <> 'management')
    select at, coalesce(error, '') as error, (select count(*) from runs) as calls,
      (select count(*) from runs where outcome = 'failed') as count
    from runs where outcome = 'failed' order by at desc, seq desc limit 1`.execute(db);
  return rows[0] ?? null;
}

/** An earlier user may have had the same name. */
async function readLastRunsBy(db: Db, ...[user, queryNames, { among }]: Parameters<AuditRepository['readLastRunsBy']>) {
  const latest = db
    .selectFrom('audit')
    .select(['at', 'seq', 'userId', 'action', 'query', 'outcome', 'error', 'rowCount as rows', 'durationMs'])
    .where('userKey', '=', normalizeText(user.username))
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(among)
    .as('latest');
  const runs = await db
    .selectFrom(latest)
    .select(['query', 'at', 'outcome', 'error', 'rows', 'durationMs'])
    .where('userId', '=', user.userId)
    .where(isRun)
    .where('query', 'in', queryNames)
    .orderBy('at')
    .orderBy('seq')
    .execute();
  return new Map(runs.map(({ query, ...run }) => [query ?? '', run])); // the last one of each
}

/** Selected as one text, because the driver takes longer to create a thousand row objects. */
async function listLatestSince(db: Db, kind: SqlKind, since: number, limit: number): Promise<readonly CountedEntry[]> {
  const [list, row] = kind === 'postgres' ? ['json_agg', 'json_build_array'] : ['json_group_array', 'json_array'];
  const { rows } = await sql<{ entries: string | null }>`
    select cast(${sql.raw(list)}(${sql.raw(row)}(at, action, channel, outcome, query, duration_ms, cached)) as text) as entries
    from (
      select at, action, channel, outcome, query, duration_ms, cached from audit
      where at >= ${since} and channel <> 'management' and action not like 'session.%'
      order by at desc, seq desc limit ${limit}
    ) latest`.execute(db);
  const read: readonly CountedRow[] = JSON.parse(rows[0]?.entries ?? '[]');
  return read.map(([at, action, channel, outcome, query, durationMs, cached]) => ({
    ...{ at, action, channel, outcome, query, durationMs },
    cached: cached === 1,
  }));
}

type CountedRow = readonly [
  at: number,
  action: string,
  channel: CountedEntry['channel'],
  outcome: CountedEntry['outcome'],
  query: string | null,
  durationMs: number,
  cached: number,
];
