import type { Principal } from '../../access/principal.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { AdministrationParts, AuditNote } from '../change.ts';
import { findQuery, seesQuery } from './query-rights.ts';

export type Favorites = ReturnType<typeof createFavorites>;

export const MOST_FAVORITES = 200;

export function createFavorites({ store, now }: AdministrationParts) {
  return {
    add: (actor: Principal, id: string, note: AuditNote): Promise<Result<null>> =>
      store.transaction(async (repositories) => {
        const found = await findQuery(repositories, actor, id);
        if (!found.ok) return found;
        note.query = found.value.queryName;
        const { queries, queryUses } = repositories;
        const uses = await queryUses.readUses(actor.userId, [id]);
        if (uses.get(id)?.isFavorite === true) return succeeded(null);
        // those that the actor no longer sees do not count: they could not be chosen for removal
        const favorites = await queries.getMany(await queryUses.favorites(actor.userId));
        if (favorites.filter((query) => seesQuery(actor, query)).length >= MOST_FAVORITES) {
          const reason = `You have ${MOST_FAVORITES} favorites, which is the most. Remove one first.`;
          return failed({ kind: 'LimitReached', reason });
        }
        await queryUses.addFavorite(actor.userId, id, now());
        return succeeded(null);
      }),
    /** Succeeds for any id: a favorite whose query the actor no longer sees can be removed too. */
    async remove(actor: Principal, id: string, note: AuditNote) {
      const found = await findQuery(store, actor, id);
      if (found.ok) note.query = found.value.queryName;
      await store.queryUses.removeFavorite(actor.userId, id);
      return succeeded(null);
    },
  };
}
