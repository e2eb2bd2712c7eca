import type { SessionRepository } from '../../metadata-store.ts';
import type { Db } from '../db.ts';

const NO_LIMIT = 1_000_000_000; // SQLite takes no offset without a limit

export function sessionRepository(db: Db): SessionRepository {
  return {
    async insert(session) {
      await db.insertInto('sessions').values(session).execute();
    },
    async touch(hash, at) {
      await db.updateTable('sessions').set({ lastUsedAt: at }).where('hash', '=', hash).where('lastUsedAt', '<', at).execute();
    },
    async delete(hash) {
      await db.deleteFrom('sessions').where('hash', '=', hash).execute();
    },
    async deleteForUser(userId) {
      await db.deleteFrom('sessions').where('userId', '=', userId).execute();
    },
    async deleteAllBut(userId, keep) {
      const ofUser = db.selectFrom('sessions').select('hash').where('userId', '=', userId);
      const oldest = ofUser.orderBy('lastUsedAt', 'desc').orderBy('hash').limit(NO_LIMIT).offset(keep);
      await db.deleteFrom('sessions').where('hash', 'in', oldest).execute();
    },
    async deleteUnusedSince(lastUsedBefore, createdBefore) {
      await db
        .deleteFrom('sessions')
        .where((eb) => eb.or([eb('lastUsedAt', '<', lastUsedBefore), eb('createdAt', '<', createdBefore)]))
        .execute();
    },
  };
}
