import { type RawBuilder, sql } from 'kysely';
import type { AuditRepository, CountedEntry, QueryFailures } from '../../metadata-store.ts';
import type { SqlKind } from '../migrations/migration.ts';
import type { Db } from '../schema.ts';
import { normalizeText } from '../statements/normalize-text.ts';

const isRun: RawBuilder<boolean> = sql`action in ('query.execute', 'query.export')`;

export async function failuresOf(
  db: Db,
  ...[query, { since, among }]: Parameters<AuditRepository['failuresOf']>
): Promise<QueryFailures | null> {
  const { rows } = await sql<QueryFailures>`
    with latest as (
      select action, outcome, error, at, seq from audit where query = ${query} and at >= ${since}
      order by at desc, seq desc limit ${among}
    ), runs as (select * from latest where ${isRun})
    select at, coalesce(error, '') as error, (select count(*) from runs) as calls,
      (select count(*) from runs where outcome = 'failed') as count
    from runs where outcome = 'failed' order by at desc, seq desc limit 1`.execute(db);
  return rows[0] ?? null;
}

/** An earlier user may have had the same name. */
export async function readLastRunsBy(db: Db, ...[user, queryNames, { among }]: Parameters<AuditRepository['readLastRunsBy']>) {
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
export async function listLatestSince(db: Db, kind: SqlKind, since: number, limit: number): Promise<readonly CountedEntry[]> {
  const [list, row] = kind === 'postgres' ? ['json_agg', 'json_build_array'] : ['json_group_array', 'json_array'];
  const { rows } = await sql<{ entries: string | null }>`
    select cast(${sql.raw(list)}(${sql.raw(row)}(at, action, channel, outcome, query, duration_ms, cached)) as text) as entries
    from (
      select at, action, channel, outcome, query, duration_ms, cached from audit where at >= ${since}
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
