import type { GuessRepository } from '../metadata-store.ts';
import type { Db } from './schema.ts';

export function guessRepository(db: Db): GuessRepository {
  return {
    async note(about, { at, forgetBefore }) {
      await db.deleteFrom('guesses').where('at', '<', forgetBefore).execute();
      await db
        .insertInto('guesses')
        .values(about.map((each) => ({ about: each, at })))
        .execute();
    },
    async latest(about, { since, limit }) {
      const rows = await db
        .selectFrom('guesses')
        .select('at')
        .where('about', '=', about)
        .where('at', '>', since)
        .orderBy('at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ at }) => at);
    },
  };
}
