import type { QueryUse, QueryUseRepository } from '../metadata-store.ts';
import type { Atomically } from './atomically.ts';
import { type Db, inIdOrder } from './schema.ts';

export function queryUseRepository(db: Db, atomically: Atomically): QueryUseRepository {
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
    async of(userId, queryIds) {
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
    async lastUses(userId) {
      return timesOf(await db.selectFrom('query_uses').select(['queryId', 'lastAt']).where('userId', '=', userId).execute());
    },
    async lastRuns() {
      return timesOf(await db.selectFrom('query_runs').select(['queryId', 'lastAt']).execute());
    },
    async noteRuns(runs) {
      if (runs.length === 0) return;
      await atomically(async (inside) => {
        const inOrder = inIdOrder(runs.map((run) => ({ ...run, id: `${run.queryId} ${run.userId ?? ''}` })));
        for (const { queryId, userId, at } of inOrder) {
          await noteRun(inside, queryId, at);
          if (userId !== null) await noteUse(inside, userId, queryId, at);
        }
      });
    },
  };
}

const timesOf = (rows: readonly { queryId: string; lastAt: number }[]): ReadonlyMap<string, number> =>
  new Map(rows.map(({ queryId, lastAt }) => [queryId, lastAt]));

/** A query or user that is not stored inserts nothing: it would fail the other runs as well. */
async function noteRun(db: Db, queryId: string, at: number): Promise<void> {
  await db
    .insertInto('query_runs')
    .columns(['queryId', 'lastAt'])
    .expression((eb) =>
      eb
        .selectFrom('queries')
        .select(['id', eb.val(at).as('at')])
        .where('id', '=', queryId),
    )
    .onConflict((conflict) => conflict.column('queryId').doUpdateSet({ lastAt: at }).where('query_runs.lastAt', '<', at))
    .execute();
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
