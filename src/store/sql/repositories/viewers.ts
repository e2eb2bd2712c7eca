import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ViewerRepository } from '../../metadata-store.ts';
import { type Atomically, type Db, readLastUses, writeById } from '../db.ts';
import { isText, isWhole, likePattern, pageOf, readCursor } from '../statements/list-page.ts';

export function viewerRepository(db: Db, atomically: Atomically): ViewerRepository {
  const seenOf = (userId: string) =>
    db
      .selectFrom('viewers as seen')
      .leftJoin('blocked_viewers as blocked', (join) =>
        join.onRef('blocked.userId', '=', 'seen.userId').onRef('blocked.sub', '=', 'seen.sub'),
      )
      .select(['seen.sub', 'seen.calls', 'seen.lastUsedAt', 'blocked.blockedAt'])
      .where('seen.userId', '=', userId);
  const blockedOf = (userId: string) =>
    db
      .selectFrom('blocked_viewers as blocked')
      .leftJoin('viewers as seen', (join) =>
        join.onRef('blocked.userId', '=', 'seen.userId').onRef('blocked.sub', '=', 'seen.sub'),
      )
      .select(['blocked.sub', sql<number>`0`.as('calls'), sql<null>`null`.as('lastUsedAt'), 'blocked.blockedAt'])
      .where('blocked.userId', '=', userId);
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
    async get(userId, sub) {
      const row = await seenOf(userId).where('seen.sub', '=', sub).executeTakeFirst();
      return row ?? (await blockedOf(userId).where('blocked.sub', '=', sub).executeTakeFirst()) ?? null;
    },
    async list(userId, { limit, cursor, search = '' }) {
      const after = readCursor(cursor, isWhole, isText);
      const isAfterSeen = after !== null && after[0] === NEVER;
      const seen = isAfterSeen
        ? []
        : await seenOf(userId)
            .where(isWanted('seen.sub', search))
            .where(isAfter('seen', after))
            .orderBy('seen.lastUsedAt', 'desc')
            .orderBy('seen.sub')
            .limit(limit + 1)
            .execute();
      const missing = limit + 1 - seen.length;
      const blocked =
        missing === 0
          ? []
          : await blockedOf(userId)
              .where('seen.sub', 'is', null)
              .where(isWanted('blocked.sub', search))
              .where(isAfterSeen ? sql<SqlBool>`blocked.sub > ${after[1]}` : everything)
              .orderBy('blocked.sub')
              .limit(missing)
              .execute();
      return pageOf(
        [...seen, ...blocked],
        limit,
        ({ lastUsedAt, sub }) => [lastUsedAt ?? NEVER, sub],
        (row) => row,
      );
    },
    noteUses(uses) {
      const identified = uses.map((use) => ({ ...use, id: use.userId + use.sub }));
      return writeById(atomically, identified, (inside, { userId, sub, count, at }) =>
        sql`insert into viewers (user_id, sub, calls, last_used_at)
          select id, ${sub}, cast(${count} as bigint), cast(${at} as bigint) from users where id = ${userId}
          on conflict (user_id, sub) do update set calls = viewers.calls + excluded.calls,
            last_used_at = case when viewers.last_used_at < excluded.last_used_at then excluded.last_used_at else viewers.last_used_at end`.execute(
          inside,
        ),
      );
    },
    readLastUses: (userIds) => readLastUses(db, 'viewers', userIds),
    async forgetUnusedSince(at) {
      await db.deleteFrom('viewers').where('lastUsedAt', '<', at).execute();
    },
  };
}

const NEVER = 0; // the last use of a viewer who is blocked but was not seen
const everything = sql<SqlBool>`1 = 1`;

const isAfter = (table: string, after: readonly [number, string] | null): RawBuilder<SqlBool> =>
  after === null
    ? everything
    : sql`(${sql.ref(`${table}.last_used_at`)} < ${after[0]} or (${sql.ref(`${table}.last_used_at`)} = ${after[0]} and ${sql.ref(`${table}.sub`)} > ${after[1]}))`;

/** Searches for both forms, because SQLite's `lower` converts ASCII letters only. */
function isWanted(column: string, search: string): RawBuilder<SqlBool> {
  if (search === '') return everything;
  const [exact, folded] = [likePattern(search), likePattern(search.toLowerCase())];
  return sql`(${sql.ref(column)} like ${exact} escape '\\' or lower(${sql.ref(column)}) like ${folded} escape '\\')`;
}
