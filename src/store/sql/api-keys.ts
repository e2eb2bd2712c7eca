import { type Selectable, sql } from 'kysely';
import type { ApiKey, ApiKeyRepository } from '../metadata-store.ts';
import type { Atomically } from './atomically.ts';
import { parsed } from './parsed-json.ts';
import { type Db, flag, type Tables } from './schema.ts';

export function apiKeyRepository(db: Db, atomically: Atomically): ApiKeyRepository {
  return {
    async listForUser(userId) {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(apiKeyOf);
    },
    async get(id) {
      const row = await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? apiKeyOf(row) : null;
    },
    async insert(key, slots, now) {
      if (!holdsSlot(key, now)) {
        await db.insertInto('api_keys').values(rowOf(key, null)).execute();
        return true;
      }
      await freeSlots(db, key.userId, now);
      return takeSlot(db, key, slots);
    },
    async revoke(id, at) {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ revoked_at: at, slot: null })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async touch(uses) {
      if (uses.length === 0) return;
      const inOrder = uses.toSorted((a, b) => flag(a.id > b.id) - flag(a.id < b.id)); // two replicas never wait for each other in a circle
      await atomically(async (inside) => {
        for (const { id, at } of inOrder) await touchOne(inside, id, at);
      });
    },
    async addRows(day, added) {
      if (added.length === 0) return;
      const inOrder = added.toSorted((a, b) => flag(a.id > b.id) - flag(a.id < b.id)); // as above
      await atomically(async (inside) => {
        for (const { id, rows } of inOrder) await addRowsOf(inside, id, day, rows);
      });
    },
    async rowsOn(day, ids) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('api_key_rows')
        .select(['key_id', 'row_count'])
        .where('day', '=', day)
        .where('key_id', 'in', ids)
        .execute();
      return new Map(rows.map((row) => [row.key_id, row.row_count]));
    },
  };
}

export function apiKeyOf(row: Omit<Selectable<Tables['api_keys']>, 'slot'>): ApiKey {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    prefix: row.prefix,
    hash: row.hash,
    queries: row.queries === null ? null : JSON.parse(row.queries),
    limits: row.limits === null ? null : parsed(row.limits),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

const holdsSlot = (key: ApiKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);

async function freeSlots(db: Db, userId: string, now: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ slot: null })
    .where('user_id', '=', userId)
    .where('slot', 'is not', null)
    .where('expires_at', '<=', now)
    .execute();
}

/** The unique index on (user, slot) judges races: who loses one tries the next free slot, until none is left. */
async function takeSlot(db: Db, key: ApiKey, slots: number): Promise<boolean> {
  for (;;) {
    const rows = await db
      .selectFrom('api_keys')
      .select('slot')
      .where('user_id', '=', key.userId)
      .where('slot', 'is not', null)
      .execute();
    const taken = new Set(rows.map((row) => row.slot));
    const free = Array.from({ length: slots }, (_, index) => index + 1).find((slot) => !taken.has(slot));
    if (free === undefined) return false;
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('api_keys')
      .values(rowOf(key, free))
      .onConflict((conflict) => conflict.columns(['user_id', 'slot']).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 1n) return true;
  }
}

async function touchOne(db: Db, id: string, at: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(last_used_at, 0) < ${at}`)
    .execute();
}

/** Nothing where the key is gone; nothing for a day that is over by the clock of another process. */
async function addRowsOf(db: Db, id: string, day: number, rows: number): Promise<void> {
  await sql`
    insert into api_key_rows (key_id, day, row_count)
    select id, cast(${day} as integer), cast(${rows} as bigint) from api_keys where id = ${id}
    on conflict (key_id) do update set
      row_count = case when api_key_rows.day = excluded.day then api_key_rows.row_count else 0 end + excluded.row_count,
      day = excluded.day
    where api_key_rows.day <= excluded.day`.execute(db);
}

const rowOf = (key: ApiKey, slot: number | null): Selectable<Tables['api_keys']> => ({
  id: key.id,
  user_id: key.userId,
  slot,
  name: key.name,
  prefix: key.prefix,
  hash: key.hash,
  queries: key.queries === null ? null : JSON.stringify(key.queries),
  limits: key.limits === null ? null : JSON.stringify(key.limits),
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
});
