import { type InferResult, type RawBuilder, sql } from 'kysely';
import { emptyDefinition, emptyLabels } from '../../../catalog/query-fields.ts';
import type { Query, QueryVersion } from '../../../catalog/query.ts';
import { type QueryRepository, StoreError } from '../../metadata-store.ts';
import { type Atomically, columnList, type Db, prepareQuery, rowCount, type RowOf, run, toFlag } from '../db.ts';
import type { SqlKind } from '../migrations/migration.ts';
import { normalizeText, searchText } from '../statements/normalize-text.ts';
import { listDependants } from './query-dependants.ts';

export const queryStatements = (db: Db) => ({
  byQueryName: prepareQuery('query-by-name', selectEntries(db).where('queries.queryName', '=', '')),
});

type QueryStatements = ReturnType<typeof queryStatements>;

const MAX_NAME_LENGTH = 1000;
const MAX_OF_ONE_NAME = 20; // in different databases

export function queryRepository(db: Db, kind: SqlKind, atomically: Atomically, statements: QueryStatements): QueryRepository {
  return {
    async get(id) {
      const [query] = queriesOf(await selectEntries(db).where('queries.id', '=', id).execute());
      return query ?? null;
    },
    async getMany(ids) {
      return queriesOf(await selectEntries(db).where('queries.id', 'in', ids).execute());
    },
    async byQueryName(queryName) {
      const [query] = queriesOf(await run(db, statements.byQueryName, queryName));
      return query ?? null;
    },
    async byName(name) {
      if (name.length > MAX_NAME_LENGTH) return [];
      const ids = db
        .selectFrom('queries')
        .select('id')
        .where('nameKey', '=', normalizeText(name.trim()))
        .where('status', '=', 'Active')
        .orderBy('id')
        .limit(MAX_OF_ONE_NAME);
      return queriesOf(await selectEntries(db).where('queries.id', 'in', ids).orderBy('queries.id').execute());
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
    async listVersions(queryId) {
      const rows = await selectVersions(db, queryId).execute();
      return rows.map(versionOf);
    },
    async readActivated(queryId, number) {
      const row = await selectVersions(db, queryId).where('activation', '=', number).limit(1).executeTakeFirst();
      if (row === undefined) return null;
      const next = await db
        .selectFrom('query_versions')
        .select(({ fn }) => fn.min('activatedAt').as('at'))
        .where('queryId', '=', queryId)
        .where('activation', '>', number)
        .executeTakeFirst();
      return { version: versionOf(row), supersededAt: next?.at ?? null };
    },
    async retire(queryId, number, at) {
      await db
        .updateTable('query_versions')
        .set({ retiresAt: at })
        .where('queryId', '=', queryId)
        .where('activation', '=', number)
        .execute();
    },
    async countByStatus() {
      const rows = await db.selectFrom('queries').select(['status', rowCount]).groupBy('status').execute();
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    listChangedSince: (mark) => readChangesSince(db, kind, mark),
    listDependants: (...request) => listDependants(db, kind, ...request),
    async listBoundSources() {
      const rows = await selectEntries(db)
        .where('queries.status', '=', 'Active')
        .whereRef('stored.version', '=', 'queries.currentVersion')
        .where('stored.definition', 'like', '%"boundTo":%')
        .execute();
      const parameters = rows.flatMap((row) => versionOf(row).definition.parameters);
      return new Set(parameters.flatMap(({ boundTo }) => boundTo ?? []));
    },
  };
}

const entryColumns = columnList(
  'id queryName nameFixed status currentVersion draftVersion draftStatus lastVersion revision updatedAt updatedBy',
).map((column) => `queries.${column}` as const);

const versionColumns = columnList(
  'queryId version definition labels resultColumns createdAt createdBy note activation activatedAt retiresAt',
);

const selectVersions = (db: Db, queryId: string) =>
  db.selectFrom('query_versions').select(versionColumns).where('queryId', '=', queryId).orderBy('version', 'desc');

/** Each query has one row with its current version and, if there is a draft, one with its draft. */
const selectEntries = (db: Db) =>
  db
    .selectFrom('queries')
    .innerJoin('query_versions as stored', (join) =>
      join
        .onRef('stored.queryId', '=', 'queries.id')
        .on(({ eb, ref }) => eb('stored.version', 'in', [ref('queries.currentVersion'), ref('queries.draftVersion')])),
    )
    .select(entryColumns)
    .select(['queries.createdAt as entryCreatedAt', 'queries.createdBy as entryCreatedBy'])
    .select(versionColumns.map((column) => `stored.${column}` as const));

/** The definition of a stored version is fixed; its labels, note, discovered columns and activation are not. */
async function writeVersions(db: Db, query: Query): Promise<void> {
  const versions: QueryVersion[] = query.draft ? [query.current, query.draft] : [query.current];
  for (const version of versions) {
    const row = versionRowOf(version);
    const { labels, note, resultColumns, activation, activatedAt } = row;
    await db
      .insertInto('query_versions')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['queryId', 'version']).doUpdateSet({ labels, note, resultColumns, activation, activatedAt }),
      )
      .execute();
  }
}

/** The roles are those in use. Processes of release 0.2 read the tags during a rolling update. */
async function insertLabelLinks(db: Db, { id: queryId, current, draft }: Query): Promise<void> {
  const rolesOf = (stage: 'current' | 'draft', roleIds: readonly string[]) =>
    [...new Set(roleIds)].map((roleId) => ({ queryId, stage, roleId }));
  const roles = [...rolesOf('current', current.labels.roleIds), ...rolesOf('draft', draft?.labels.roleIds ?? [])];
  const tags = [...new Set(current.labels.tags.map(normalizeText))].map((tagKey) => ({ queryId, tagKey }));
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

type QueryRow = InferResult<ReturnType<typeof selectEntries>>[number];

const queriesOf = (rows: readonly QueryRow[]): readonly Query[] =>
  [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((versions) => {
    const draft = versions.find(({ version, draftVersion }) => version === draftVersion);
    return versions
      .filter(({ version, currentVersion }) => version === currentVersion)
      .map((current) => ({
        id: current.id,
        queryName: current.queryName,
        nameFixed: current.nameFixed === 1,
        status: current.status,
        current: versionOf({ ...current, retiresAt: null }), // the current version cannot be retired
        draft: draft === undefined ? null : { ...versionOf(draft), status: draft.draftStatus ?? 'Draft' },
        lastVersion: current.lastVersion,
        revision: current.revision,
        createdAt: current.entryCreatedAt,
        createdBy: current.entryCreatedBy,
        updatedAt: current.updatedAt,
        updatedBy: current.updatedBy,
      }));
  });

/** An older version of Sluice may have stored fewer fields. */
const versionOf = (row: RowOf<'query_versions'>): QueryVersion => ({
  queryId: row.queryId,
  version: row.version,
  definition: { ...emptyDefinition, ...JSON.parse(row.definition) },
  labels: { ...emptyLabels, ...JSON.parse(row.labels) },
  note: row.note,
  resultColumns: row.resultColumns === null ? null : JSON.parse(row.resultColumns),
  createdAt: row.createdAt,
  createdBy: row.createdBy,
  ...(row.activation !== null && {
    activation: { number: row.activation, at: row.activatedAt ?? row.createdAt, retiresAt: row.retiresAt },
  }),
});

function entryRowOf({ current, draft, ...query }: Query): RowOf<'queries'> {
  const { definition, labels } = current;
  return {
    ...query,
    nameFixed: toFlag(query.nameFixed),
    currentVersion: current.version,
    draftVersion: draft?.version ?? null,
    draftStatus: draft?.status ?? null,
    nameKey: normalizeText(definition.name),
    searchText: searchText(definition.name, query.queryName, labels.description, ...labels.tags),
    databaseId: definition.databaseId,
    aiAccess: toFlag(labels.aiAccess),
  };
}

const versionRowOf = (version: QueryVersion): RowOf<'query_versions'> => ({
  queryId: version.queryId,
  version: version.version,
  definition: JSON.stringify(version.definition),
  labels: JSON.stringify(version.labels),
  note: version.note,
  resultColumns: version.resultColumns === null ? null : JSON.stringify(version.resultColumns),
  createdAt: version.createdAt,
  createdBy: version.createdBy,
  activation: version.activation?.number ?? null,
  activatedAt: version.activation?.at ?? null,
  retiresAt: version.activation?.retiresAt ?? null,
});
