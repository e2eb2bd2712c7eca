import type { SessionRepository } from '../metadata-store.ts';
import type { Db } from './schema.ts';

const NO_LIMIT = 1_000_000_000; // SQLite takes no offset without a limit

export function sessionRepository(db: Db): SessionRepository {
  return {
    async insert(session) {
      await db
        .insertInto('sessions')
        .values({
          hash: session.hash,
          user_id: session.userId,
          credential_version: session.credentialVersion,
          created_at: session.createdAt,
          last_used_at: session.lastUsedAt,
        })
        .execute();
    },
    async touch(hash, at) {
      await db
        .updateTable('sessions')
        .set({ last_used_at: at })
        .where('hash', '=', hash)
        .where('last_used_at', '<', at)
        .execute();
    },
    async delete(hash) {
      await db.deleteFrom('sessions').where('hash', '=', hash).execute();
    },
    async deleteForUser(userId) {
      await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
    },
    async deleteAllBut(userId, keep) {
      await db
        .deleteFrom('sessions')
        .where('hash', 'in', (eb) =>
          eb
            .selectFrom('sessions')
            .select('hash')
            .where('user_id', '=', userId)
            .orderBy('last_used_at', 'desc')
            .orderBy('hash')
            .limit(NO_LIMIT)
            .offset(keep),
        )
        .execute();
    },
    async deleteUnusedSince(lastUsedBefore, createdBefore) {
      await db
        .deleteFrom('sessions')
        .where((eb) => eb.or([eb('last_used_at', '<', lastUsedBefore), eb('created_at', '<', createdBefore)]))
        .execute();
    },
  };
}
