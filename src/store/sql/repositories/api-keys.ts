import { type NotNull, sql } from 'kysely';
import type { ApiKey, ApiKeyRepository } from '../../metadata-store.ts';
import { type Atomically, columnList, type Db, hasEffect, noteLastUses, readLastUses, type RowOf, writeById } from '../db.ts';

export function apiKeyRepository(db: Db, atomically: Atomically): ApiKeyRepository {
  return {
    async listForUser(userId) {
      const rows = await db
        .selectFrom('api_keys')
        .select(apiKeyColumns)
        .where('userId', '=', userId)
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(apiKeyOf);
    },
    async get(id) {
      const row = await db.selectFrom('api_keys').select(apiKeyColumns).where('id', '=', id).executeTakeFirst();
      return row ? apiKeyOf(row) : null;
    },
    listEnding: ({ after, until, limit, userId }) =>
      db
        .selectFrom('api_keys as key')
        .innerJoin('users', 'users.id', 'key.userId')
        .select(['key.userId', 'key.name', 'key.prefix', 'key.lastUsedAt', 'key.expiresAt', 'users.username'])
        .where('key.revokedAt', 'is', null)
        .where('key.expiresAt', '>', after)
        .where('key.expiresAt', '<=', until)
        .$if(userId !== undefined, (query) => query.where('key.userId', '=', userId ?? ''))
        .orderBy('key.expiresAt')
        .orderBy('key.id')
        .limit(limit)
        .$narrowType<{ expiresAt: NotNull }>()
        .execute(),
    async insert(key, slots, now) {
      if (!holdsSlot(key, now)) {
        await db.insertInto('api_keys').values(rowOf(key, null)).execute();
        return true;
      }
      await freeSlots(db, key.userId, now);
      return takeSlot(db, key, slots);
    },
    async rename(id, name) {
      await db.updateTable('api_keys').set({ name }).where('id', '=', id).execute();
    },
    revoke: (id, at) =>
      hasEffect(
        db.updateTable('api_keys').set({ revokedAt: at, slot: null }).where('id', '=', id).where('revokedAt', 'is', null),
      ),
    touch: (uses) => noteLastUses(atomically, 'api_keys', uses),
    readLastUses: (userIds) => readLastUses(db, 'api_keys', userIds),
    addRows: (day, added) => writeById(atomically, added, (inside, { id, rows }) => addRowsOf(inside, id, day, rows)),
    async rowsOn(day, ids) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('api_key_rows')
        .select(['keyId', 'rowCount'])
        .where('day', '=', day)
        .where('keyId', 'in', ids)
        .execute();
      return new Map(rows.map((row) => [row.keyId, row.rowCount]));
    },
  };
}

export const apiKeyColumns = columnList(
  'id userId name prefix hash queries limits tools createdAt lastUsedAt expiresAt revokedAt',
);

export const apiKeyOf = (row: Pick<RowOf<'api_keys'>, (typeof apiKeyColumns)[number]>): ApiKey => ({
  ...row,
  queries: row.queries === null ? null : JSON.parse(row.queries),
  limits: row.limits === null ? null : JSON.parse(row.limits),
});

const holdsSlot = (key: ApiKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);

async function freeSlots(db: Db, userId: string, now: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ slot: null })
    .where('userId', '=', userId)
    .where('slot', 'is not', null)
    .where('expiresAt', '<=', now)
    .execute();
}

/** The unique index on (user, slot) decides races: a request that loses tries the next free slot, until none is left. */
async function takeSlot(db: Db, key: ApiKey, slots: number): Promise<boolean> {
  for (;;) {
    const rows = await db
      .selectFrom('api_keys')
      .select('slot')
      .where('userId', '=', key.userId)
      .where('slot', 'is not', null)
      .execute();
    const used = new Set(rows.map((row) => row.slot));
    const free = Array.from({ length: slots }, (_, index) => index + 1).find((slot) => !used.has(slot));
    if (free === undefined) return false;
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('api_keys')
      .values(rowOf(key, free))
      .onConflict((conflict) => conflict.columns(['userId', 'slot']).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 1n) return true;
  }
}

/** Ignored if the key is deleted, or if another process has already counted for a later day. */
async function addRowsOf(db: Db, id: string, day: number, rows: number): Promise<void> {
  await sql`
    insert into api_key_rows (key_id, day, row_count)
    select id, cast(${day} as integer), cast(${rows} as bigint) from api_keys where id = ${id}
    on conflict (key_id) do update set
      row_count = case when api_key_rows.day = excluded.day then api_key_rows.row_count else 0 end + excluded.row_count,
      day = excluded.day
    where api_key_rows.day <= excluded.day`.execute(db);
}

const rowOf = (key: ApiKey, slot: number | null): RowOf<'api_keys'> => ({
  ...key,
  slot,
  queries: key.queries === null ? null : JSON.stringify(key.queries),
  limits: key.limits === null ? null : JSON.stringify(key.limits),
});
