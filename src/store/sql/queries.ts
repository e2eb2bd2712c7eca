import type { Query, QueryVersion } from '../../catalog/query.ts';
import { type QueryListRequest, type QueryRepository, StoreError } from '../metadata-store.ts';
import type { Atomically } from './atomically.ts';
import { contains, inList, pageOf } from './list-page.ts';
import { prepared, run } from './prepared-query.ts';
import { entryRowOf, labelLinksOf, queryOf, versionOf, versionRowOf } from './query-rows.ts';
import { type Db, flag, rowCount } from './schema.ts';
import { normalized } from './text.ts';

export type QueryStatements = ReturnType<typeof queryStatements>;

export const queryStatements = (db: Db) => ({
  byQueryName: prepared('query-by-name', entries(db).where('queries.queryName', '=', '')),
});

const MAX_NAME_LENGTH = 1000;

export function queryRepository(db: Db, atomically: Atomically, statements: QueryStatements): QueryRepository {
  return {
    async list(request) {
      const rows = await filtered(db, request)
        .where(inList(request, { name: 'queries.name_key', id: 'queries.id', search: 'queries.search_text' }))
        .orderBy('queries.nameKey')
        .orderBy('queries.id')
        .limit(request.limit + 1)
        .execute();
      return pageOf(rows, request.limit, (row) => [row.nameKey, row.id], queryOf);
    },
    async get(id) {
      const row = await entries(db).where('queries.id', '=', id).executeTakeFirst();
      return row ? queryOf(row) : null;
    },
    async byQueryName(queryName) {
      const [row] = await run(db, statements.byQueryName, queryName);
      return row ? queryOf(row) : null;
    },
    async byQueryNameIgnoringCase(queryName) {
      if (queryName.length > MAX_NAME_LENGTH || queryName.includes('\0')) return null; // PostgreSQL rejects a NUL in text
      const wanted = normalized(queryName);
      const rows = await db.selectFrom('queries').select('queryName').where(contains('search_text', queryName)).execute();
      const [only, another] = rows.filter((row) => normalized(row.queryName) === wanted);
      if (only === undefined || another !== undefined) return null;
      const row = await entries(db).where('queries.queryName', '=', only.queryName).executeTakeFirst();
      return row ? queryOf(row) : null;
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
  };
}

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
      'queries.id',
      'queries.queryName',
      'queries.nameFixed',
      'queries.status',
      'queries.currentVersion',
      'queries.draftVersion',
      'queries.draftStatus',
      'queries.lastVersion',
      'queries.revision',
      'queries.createdAt',
      'queries.createdBy',
      'queries.updatedAt',
      'queries.updatedBy',
      'queries.nameKey',
      'queries.searchText',
      'queries.databaseId',
      'queries.aiAccess',
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

/** An empty list of choices matches nothing: a user without databases sees no query. */
function filtered(db: Db, request: QueryListRequest) {
  const { statuses, databaseIds, queryNames, tag, aiAccess, grantedToRoles, favoriteOf, usedBy } = request;
  let query = entries(db);
  if (statuses) query = query.where('queries.status', 'in', statuses);
  if (databaseIds) query = query.where('queries.databaseId', 'in', databaseIds);
  if (queryNames) query = query.where('queries.queryName', 'in', queryNames);
  if (aiAccess !== undefined) query = query.where('queries.aiAccess', '=', flag(aiAccess));
  if (tag !== undefined) {
    query = query.where('queries.id', 'in', (eb) =>
      eb.selectFrom('query_tags').select('queryId').where('tagKey', '=', normalized(tag)),
    );
  }
  if (favoriteOf !== undefined) {
    query = query.where('queries.id', 'in', (eb) =>
      eb.selectFrom('favorites').select('queryId').where('userId', '=', favoriteOf),
    );
  }
  if (usedBy !== undefined) {
    query = query.where('queries.id', 'in', (eb) => eb.selectFrom('query_uses').select('queryId').where('userId', '=', usedBy));
  }
  if (grantedToRoles) {
    query = query.where((eb) => {
      const restriction = eb
        .selectFrom('query_roles')
        .select('roleId')
        .whereRef('query_roles.queryId', '=', 'queries.id')
        .where('stage', '=', 'current');
      const open = eb.not(eb.exists(restriction));
      return grantedToRoles.length > 0 ? eb.or([open, eb.exists(restriction.where('roleId', 'in', grantedToRoles))]) : open;
    });
  }
  return query;
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
