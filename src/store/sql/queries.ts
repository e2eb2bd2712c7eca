import type { Query, QueryStatus, QueryVersion } from '../../catalog/query.ts';
import { type QueryListRequest, type QueryRepository, StoreError } from '../metadata-store.ts';
import type { Atomically } from './atomically.ts';
import { fold } from './fold.ts';
import { hotQuery, runHot } from './hot-query.ts';
import { inList, pageOf } from './list-page.ts';
import { entryRowOf, labelLinksOf, queryOf, versionOf, versionRowOf } from './query-rows.ts';
import { type Db, flag } from './schema.ts';

export type QueryStatements = ReturnType<typeof queryStatements>;

export const queryStatements = (db: Db) => ({
  byQueryName: hotQuery('query-by-name', entries(db).where('queries.query_name', '=', '').compile()),
});

export function queryRepository(db: Db, atomically: Atomically, statements: QueryStatements): QueryRepository {
  return {
    async list(request) {
      const rows = await filtered(db, request)
        .where(inList(request, { name: 'queries.name_key', id: 'queries.id', search: 'queries.search_text' }))
        .orderBy('queries.name_key')
        .orderBy('queries.id')
        .limit(request.limit + 1)
        .execute();
      return pageOf(rows, request.limit, (row) => [row.name_key, row.id], queryOf);
    },
    async get(id) {
      const row = await entries(db).where('queries.id', '=', id).executeTakeFirst();
      return row ? queryOf(row) : null;
    },
    async byQueryName(queryName) {
      const [row] = await runHot(db, statements.byQueryName, [queryName]);
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
        await inside.deleteFrom('query_roles').where('query_id', '=', query.id).execute();
        await inside.deleteFrom('query_tags').where('query_id', '=', query.id).execute();
        await insertLabelLinks(inside, query);
      }),
    async versions(queryId) {
      const rows = await db
        .selectFrom('query_versions')
        .selectAll()
        .where('query_id', '=', queryId)
        .orderBy('version', 'desc')
        .execute();
      return rows.map(versionOf);
    },
    async countByStatus() {
      const rows = await db
        .selectFrom('queries')
        .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute();
      const counts: Partial<Record<QueryStatus, number>> = {};
      for (const { status, count } of rows) counts[status as QueryStatus] = count; // as we wrote it
      return counts;
    },
  };
}

function entries(db: Db) {
  return db
    .selectFrom('queries')
    .innerJoin('query_versions as current', (join) =>
      join.onRef('current.query_id', '=', 'queries.id').onRef('current.version', '=', 'queries.current_version'),
    )
    .leftJoin('query_versions as draft', (join) =>
      join.onRef('draft.query_id', '=', 'queries.id').onRef('draft.version', '=', 'queries.draft_version'),
    )
    .selectAll('queries')
    .select([
      'current.definition as current_definition',
      'current.labels as current_labels',
      'current.result_columns as current_result_columns',
      'current.created_at as current_created_at',
      'current.created_by as current_created_by',
      'draft.definition as draft_definition',
      'draft.labels as draft_labels',
      'draft.result_columns as draft_result_columns',
      'draft.created_at as draft_created_at',
      'draft.created_by as draft_created_by',
    ]);
}

/** An empty list of choices admits nothing: a user without databases sees no query. */
function filtered(db: Db, request: QueryListRequest) {
  const { statuses, databaseIds, queryNames, tag, aiAccess, grantedToRoles } = request;
  let query = entries(db);
  if (statuses) query = query.where((eb) => (statuses.length > 0 ? eb('queries.status', 'in', statuses) : eb.lit(false)));
  if (databaseIds)
    query = query.where((eb) => (databaseIds.length > 0 ? eb('queries.database_id', 'in', databaseIds) : eb.lit(false)));
  if (queryNames)
    query = query.where((eb) => (queryNames.length > 0 ? eb('queries.query_name', 'in', queryNames) : eb.lit(false)));
  if (aiAccess !== undefined) query = query.where('queries.ai_access', '=', flag(aiAccess));
  if (tag !== undefined) {
    query = query.where('queries.id', 'in', (eb) =>
      eb.selectFrom('query_tags').select('query_id').where('tag_key', '=', fold(tag)),
    );
  }
  if (grantedToRoles) {
    query = query.where((eb) => {
      const restriction = eb
        .selectFrom('query_roles')
        .select('role_id')
        .whereRef('query_roles.query_id', '=', 'queries.id')
        .where('stage', '=', 'current');
      const open = eb.not(eb.exists(restriction));
      return grantedToRoles.length > 0 ? eb.or([open, eb.exists(restriction.where('role_id', 'in', grantedToRoles))]) : open;
    });
  }
  return query;
}

/** What a version defines is fixed once it is stored; its labels and discovered columns are not. */
async function writeVersions(db: Db, query: Query): Promise<void> {
  const versions: QueryVersion[] = query.draft ? [query.current, query.draft] : [query.current];
  for (const version of versions) {
    const row = versionRowOf(version);
    await db
      .insertInto('query_versions')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['query_id', 'version']).doUpdateSet({ labels: row.labels, result_columns: row.result_columns }),
      )
      .execute();
  }
}

async function insertLabelLinks(db: Db, query: Query): Promise<void> {
  const { roles, tags } = labelLinksOf(query);
  if (roles.length > 0) await db.insertInto('query_roles').values(roles).execute();
  if (tags.length > 0) await db.insertInto('query_tags').values(tags).execute();
}
