import type { LeaseRepository } from '../metadata-store.ts';
import type { Db } from './schema.ts';

export function leaseRepository(db: Db): LeaseRepository {
  return {
    async take(name, holder, { at, until }) {
      const row = { holder, until_at: until };
      const taken = await db
        .insertInto('leases')
        .values({ name, ...row })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(row)
            .where((is) => is.or([is('leases.until_at', '<=', at), is('leases.holder', '=', holder)])),
        )
        .returning('name')
        .executeTakeFirst();
      return taken !== undefined;
    },
    async release(name, holder) {
      await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}
