import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ViewerRepository } from '../../metadata-store.ts';
import type { Atomically, Db } from '../db.ts';
import { likePattern } from '../statements/list-page.ts';

export function viewerRepository(db: Db, atomically: Atomically): ViewerRepository {
  return {
    async block(userId, sub, blockedAt) {
      const row = db.insertInto('blocked_viewers').values({ userId, sub, blockedAt });
      await row.onConflict((conflict) => conflict.columns(['userId', 'sub']).doNothing()).execute();
    },
    async unblock(userId, sub) {
      await db.deleteFrom('blocked_viewers').where('userId', '=', userId).where('sub', '=', sub).execute();
    },
    async isBlocked(userId, sub) {
      const found = db.selectFrom('blocked_viewers').select('sub').where('userId', '=', userId).where('sub', '=', sub);
      return (await found.executeTakeFirst()) !== undefined;
    },
    async list(userId, { limit, search = '', sub }) {
      const fields = ['seen.calls', 'seen.lastUsedAt', 'blocked.blockedAt'] as const;
      const seen = db
        .selectFrom('viewers as seen')
        .leftJoin('blocked_viewers as blocked', (join) =>
          join.onRef('blocked.userId', '=', 'seen.userId').onRef('blocked.sub', '=', 'seen.sub'),
        )
        .select(['seen.sub', ...fields])
        .where('seen.userId', '=', userId)
        .where(isWanted('seen.sub', search, sub));
      const blocked = db
        .selectFrom('blocked_viewers as blocked')
        .leftJoin('viewers as seen', (join) =>
          join.onRef('blocked.userId', '=', 'seen.userId').onRef('blocked.sub', '=', 'seen.sub'),
        )
        .select(['blocked.sub', ...fields])
        .where('blocked.userId', '=', userId)
        .where(isWanted('blocked.sub', search, sub));
      const latest = await seen.orderBy('seen.lastUsedAt', 'desc').orderBy('seen.sub').limit(limit).execute();
      const subs = new Set(latest.map((each) => each.sub));
      const others = (await blocked.orderBy('blocked.blockedAt', 'desc').limit(limit).execute()).filter(
        (each) => !subs.has(each.sub),
      );
      return [...latest, ...others].map((each) => ({ ...each, calls: each.calls ?? 0 }));
    },
    async noteUses(uses) {
      if (uses.length === 0) return;
      await atomically(async (inside) => {
        for (const { userId, sub, count, at } of uses.toSorted((a, b) => (a.userId + a.sub < b.userId + b.sub ? -1 : 1))) {
          await sql`insert into viewers (user_id, sub, calls, last_used_at)
            select id, ${sub}, cast(${count} as bigint), cast(${at} as bigint) from users where id = ${userId}
            on conflict (user_id, sub) do update set calls = viewers.calls + excluded.calls,
              last_used_at = case when viewers.last_used_at < excluded.last_used_at then excluded.last_used_at else viewers.last_used_at end`.execute(
            inside,
          );
        }
      });
    },
    async readLastUses(userIds) {
      const latest = sql<number>`max(last_used_at)`.as('lastUsedAt');
      const rows = await db
        .selectFrom('viewers')
        .select(['userId', latest])
        .where('userId', 'in', userIds)
        .groupBy('userId')
        .execute();
      return new Map(rows.map(({ userId, lastUsedAt }) => [userId, lastUsedAt]));
    },
    async forgetUnusedSince(at) {
      await db.deleteFrom('viewers').where('lastUsedAt', '<', at).execute();
    },
  };
}

/** Both forms, because SQLite knows the case of ASCII letters only. */
function isWanted(column: string, search: string, sub: string | undefined): RawBuilder<SqlBool> {
  if (sub !== undefined) return sql`${sql.ref(column)} = ${sub}`;
  if (search === '') return sql`1 = 1`;
  const [exact, folded] = [likePattern(search), likePattern(search.toLowerCase())];
  return sql`(${sql.ref(column)} like ${exact} escape '\\' or lower(${sql.ref(column)}) like ${folded} escape '\\')`;
}
