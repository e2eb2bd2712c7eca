import { type RawBuilder, sql } from 'kysely';
import type { Query, QueryVersion } from '../../../catalog/query.ts';
import { type QueryRepository, StoreError } from '../../metadata-store.ts';
import { columnList, type Atomically, type Db, prepareQuery, rowCount, run } from '../db.ts';
import type { SqlKind } from '../migrations/migration.ts';
import { normalizeText } from '../statements/normalize-text.ts';
import { entryRowOf, labelLinksOf, queryOf, versionOf, versionRowOf } from './query-rows.ts';

export type QueryStatements = ReturnType<typeof queryStatements>;

export const queryStatements = (db: Db) => ({
  byQueryName: prepareQuery('query-by-name', entries(db).where('queries.queryName', '=', '')),
});

const MAX_NAME_LENGTH = 1000;
const MAX_OF_ONE_NAME = 20; // in different databases

export function queryRepository(db: Db, kind: SqlKind, atomically: Atomically, statements: QueryStatements): QueryRepository {
  return {
    async get(id) {
      const row = await entries(db).where('queries.id', '=', id).executeTakeFirst();
      return row ? queryOf(row) : null;
    },
    async getMany(ids) {
      const rows = await entries(db).where('queries.id', 'in', ids).execute();
      return rows.map(queryOf);
    },
    async byQueryName(queryName) {
      const [row] = await run(db, statements.byQueryName, queryName);
      return row ? queryOf(row) : null;
    },
    async byName(name) {
      if (name.length > MAX_NAME_LENGTH) return [];
      const rows = await entries(db)
        .where('queries.nameKey', '=', normalizeText(name.trim()))
        .where('queries.status', '=', 'Active')
        .orderBy('queries.id')
        .limit(MAX_OF_ONE_NAME)
        .execute();
      return rows.map(queryOf);
    },
    insert: (query) =>
      atomically(async (inside) => {
        await inside.insertInto('queries').values(entryRowOf(query)).execute();
        await writeVersions(inside, query);
        await insertLabelLinks(inside, query);
      }),
    update: (query) =>
      atomically(async (inside) => {
        const { numUpdatedRows } = await inside
          .updateTable('queries')
          .set(entryRowOf(query))
          .where('id', '=', query.id)
          .where('revision', '=', query.revision - 1)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new StoreError('stale', 'The query was changed in the meantime.');
        await writeVersions(inside, query);
        await inside.deleteFrom('query_roles').where('queryId', '=', query.id).execute();
        await inside.deleteFrom('query_tags').where('queryId', '=', query.id).execute();
        await insertLabelLinks(inside, query);
      }),
    async versions(queryId) {
      const rows = await db
        .selectFrom('query_versions')
        .select(['queryId', 'version', 'definition', 'labels', 'resultColumns', 'createdAt', 'createdBy', 'note'])
        .where('queryId', '=', queryId)
        .orderBy('version', 'desc')
        .execute();
      return rows.map(versionOf);
    },
    async countByStatus() {
      const rows = await db.selectFrom('queries').select(['status', rowCount]).groupBy('status').execute();
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    listChangedSince: (mark) => readChangesSince(db, kind, mark),
    async listBoundSources() {
      const rows = await entries(db)
        .where('queries.status', '=', 'Active')
        .where('current.definition', 'like', '%"boundTo":%')
        .execute();
      const parameters = rows.flatMap((row) => queryOf(row).current.definition.parameters);
      return new Set(parameters.flatMap(({ boundTo }) => boundTo ?? []));
    },
  };
}

const entryColumns = columnList(
  'id queryName nameFixed status currentVersion draftVersion draftStatus lastVersion revision createdAt createdBy updatedAt updatedBy nameKey searchText databaseId aiAccess',
).map((column) => `queries.${column}` as const);

function entries(db: Db) {
  return db
    .selectFrom('queries')
    .innerJoin('query_versions as current', (join) =>
      join.onRef('current.queryId', '=', 'queries.id').onRef('current.version', '=', 'queries.currentVersion'),
    )
    .leftJoin('query_versions as draft', (join) =>
      join.onRef('draft.queryId', '=', 'queries.id').onRef('draft.version', '=', 'queries.draftVersion'),
    )
    .select([
      ...entryColumns,
      'current.definition as currentDefinition',
      'current.labels as currentLabels',
      'current.note as currentNote',
      'current.resultColumns as currentResultColumns',
      'current.createdAt as currentCreatedAt',
      'current.createdBy as currentCreatedBy',
      'draft.definition as draftDefinition',
      'draft.labels as draftLabels',
      'draft.note as draftNote',
      'draft.resultColumns as draftResultColumns',
      'draft.createdAt as draftCreatedAt',
      'draft.createdBy as draftCreatedBy',
    ]);
}

/** The definition of a stored version is fixed; its labels, note and discovered columns are not. */
async function writeVersions(db: Db, query: Query): Promise<void> {
  const versions: QueryVersion[] = query.draft ? [query.current, query.draft] : [query.current];
  for (const version of versions) {
    const row = versionRowOf(version);
    const { labels, note, resultColumns } = row;
    await db
      .insertInto('query_versions')
      .values(row)
      .onConflict((conflict) => conflict.columns(['queryId', 'version']).doUpdateSet({ labels, note, resultColumns }))
      .execute();
  }
}

async function insertLabelLinks(db: Db, query: Query): Promise<void> {
  const { roles, tags } = labelLinksOf(query);
  if (roles.length > 0) await db.insertInto('query_roles').values(roles).execute();
  if (tags.length > 0) await db.insertInto('query_tags').values(tags).execute();
}

type Changes = Awaited<ReturnType<QueryRepository['listChangedSince']>>;

/** In one statement, so that no change falls between the mark and the ids. */
async function readChangesSince(db: Db, kind: SqlKind, mark: string | null): Promise<Changes> {
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
