import type { LeaseRepository } from '../metadata-store.ts';
import type { Db } from './schema.ts';

export function leaseRepository(db: Db): LeaseRepository {
  return {
    async take(name, holder, { at, until }) {
      const row = { holder, untilAt: until };
      const granted = await db
        .insertInto('leases')
        .values({ name, ...row })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(row)
            .where((is) => is.or([is('leases.untilAt', '<=', at), is('leases.holder', '=', holder)])),
        )
        .returning('name')
        .executeTakeFirst();
      return granted !== undefined;
    },
    async release(name, holder) {
      await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}
