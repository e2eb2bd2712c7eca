import { type RawBuilder, sql } from 'kysely';
import type { QueryRepository } from '../../metadata-store.ts';
import type { SqlKind } from '../migrations/migration.ts';
import type { Db } from '../schema.ts';

type Changes = Awaited<ReturnType<QueryRepository['listChangedSince']>>;

/** In one statement, so that no change falls between the mark and the ids. */
export async function readChangesSince(db: Db, kind: SqlKind, mark: string | null): Promise<Changes> {
  const { rows } = await (kind === 'postgres' ? onPostgres(mark) : onSqlite(mark)).execute(db);
  const [read] = rows;
  if (read === undefined) throw new Error('The metadata store has no generation.');
  return { ids: JSON.parse(read.ids), mark: String(read.mark) };
}

type Statement = RawBuilder<{ readonly ids: string; readonly mark: string | number }>;

const onSqlite = (mark: string | null): Statement => sql`
  select value as mark, (select json_group_array(query_id) from query_changes where change > ${Number(mark ?? -1)}) as ids
  from catalog_generation`;

/**
 * The mark is a snapshot: the changes since then are those of transactions that it does not see. After a restore from a dump, rows may
 * have transactions that the server has yet to reach; after a failover that lost commits, all rows are read again.
 */
function onPostgres(mark: string | null): Statement {
  const before = sql`${mark}::pg_snapshot`;
  const isChanged =
    mark === null
      ? sql`true`
      : sql`pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(${before}) or (
          change >= pg_snapshot_xmin(${before}) and change < pg_snapshot_xmax(pg_current_snapshot())
          and not pg_visible_in_snapshot(change, ${before}))`;
  return sql`
    select pg_current_snapshot()::text as mark,
      (select coalesce(json_agg(query_id), '[]')::text from query_changes where ${isChanged}) as ids`;
}
