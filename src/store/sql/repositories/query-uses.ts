import { type NotNull, sql } from 'kysely';
import type { QueryRun, QueryUse, QueryUseRepository } from '../../metadata-store.ts';
import { type Atomically, type Db, writeById } from '../db.ts';
import type { SqlKind } from '../migrations/migration.ts';

export function queryUseRepository(db: Db, kind: SqlKind, atomically: Atomically): QueryUseRepository {
  const readRuns = async (column: 'last_at' | 'runs'): Promise<ReadonlyMap<string, number>> => {
    // as one text: a catalog may have thousands of queries, and an object for each row takes longer
    const list = sql.raw(kind === 'postgres' ? 'json_agg' : 'json_group_array');
    const { rows } = await sql<{ ids: string | null; numbers: string | null }>`
      select cast(${list}(query_id) as text) as ids, cast(${list}(${sql.ref(column)}) as text) as numbers from query_runs`.execute(
      db,
    );
    const ids: readonly string[] = JSON.parse(rows[0]?.ids ?? '[]');
    const numbers: readonly number[] = JSON.parse(rows[0]?.numbers ?? '[]');
    return new Map(ids.map((id, index) => [id, numbers[index] ?? 0]));
  };
  return {
    async addFavorite(userId, queryId, at) {
      await db
        .insertInto('favorites')
        .values({ userId, queryId, createdAt: at })
        .onConflict((conflict) => conflict.columns(['userId', 'queryId']).doNothing())
        .execute();
    },
    async removeFavorite(userId, queryId) {
      await db.deleteFrom('favorites').where('userId', '=', userId).where('queryId', '=', queryId).execute();
    },
    async readUses(userId, queryIds) {
      const rows = await db
        .selectFrom('queries')
        .leftJoin('favorites', (join) => join.onRef('favorites.queryId', '=', 'queries.id').on('favorites.userId', '=', userId))
        .leftJoin('query_uses as used', (join) => join.onRef('used.queryId', '=', 'queries.id').on('used.userId', '=', userId))
        .leftJoin('query_runs as ran', 'ran.queryId', 'queries.id')
        .select(['queries.id', 'favorites.createdAt', 'used.lastAt as lastUsedAt', 'ran.lastAt as lastRunAt'])
        .where('queries.id', 'in', queryIds)
        .execute();
      return new Map(
        rows.map(({ id, createdAt, lastUsedAt, lastRunAt }): [string, QueryUse] => [
          id,
          { isFavorite: createdAt !== null, lastUsedAt, lastRunAt },
        ]),
      );
    },
    async favorites(userId) {
      const rows = await db.selectFrom('favorites').select('queryId').where('userId', '=', userId).execute();
      return rows.map(({ queryId }) => queryId);
    },
    async readLastUses(userId) {
      const rows = await db.selectFrom('query_uses').select(['queryId', 'lastAt']).where('userId', '=', userId).execute();
      return new Map(rows.map(({ queryId, lastAt }) => [queryId, lastAt]));
    },
    readLastRuns: () => readRuns('last_at'),
    readRunCounts: () => readRuns('runs'),
    async readAnswers(limit) {
      const rows = await db
        .selectFrom('query_runs')
        .innerJoin('queries', 'queries.id', 'query_runs.queryId')
        .select(['queries.queryName', 'answerBytes as bytes', 'answerTokens as tokens'])
        .where('answerTokens', 'is not', null)
        .orderBy('answerTokens', 'desc')
        .orderBy('queries.queryName')
        .limit(limit)
        .$narrowType<{ bytes: NotNull; tokens: NotNull }>()
        .execute();
      return new Map(rows.map(({ queryName, ...answer }) => [queryName, answer]));
    },
    noteRuns(runs) {
      const identified = runs.map((run) => ({ ...run, id: `${run.queryId} ${run.userId ?? ''}` }));
      return writeById(atomically, identified, async (inside, run) => {
        await noteRun(inside, run);
        if (run.userId !== null) await noteUse(inside, run.userId, run.queryId, run.at);
      });
    },
  };
}

/** Inserts nothing for a query that is not stored: an error would fail the other runs as well. */
async function noteRun(db: Db, { queryId, at, count = 1, answer }: QueryRun): Promise<void> {
  await db
    .insertInto('query_runs')
    .columns(['queryId', 'lastAt', 'runs'])
    .expression((eb) =>
      eb
        .selectFrom('queries')
        .select(['id', eb.val(at).as('at'), eb.val(count).as('runs')])
        .where('id', '=', queryId),
    )
    .onConflict((conflict) =>
      conflict.column('queryId').doUpdateSet((eb) => ({
        lastAt: eb.case().when('query_runs.lastAt', '<', at).then(at).else(eb.ref('query_runs.lastAt')).end(),
        runs: eb('query_runs.runs', '+', count),
      })),
    )
    .execute();
  if (answer === undefined) return;
  const { bytes, tokens } = answer;
  await db.updateTable('query_runs').set({ answerBytes: bytes, answerTokens: tokens }).where('queryId', '=', queryId).execute();
}

async function noteUse(db: Db, userId: string, queryId: string, at: number): Promise<void> {
  await db
    .insertInto('query_uses')
    .columns(['userId', 'queryId', 'lastAt'])
    .expression((eb) =>
      eb
        .selectFrom(['users', 'queries'])
        .select(['users.id as userId', 'queries.id as queryId', eb.val(at).as('at')])
        .where('users.id', '=', userId)
        .where('queries.id', '=', queryId),
    )
    .onConflict((conflict) =>
      conflict.columns(['userId', 'queryId']).doUpdateSet({ lastAt: at }).where('query_uses.lastAt', '<', at),
    )
    .execute();
}
