import type { SettingRepository } from '../../metadata-store.ts';
import type { Db } from '../db.ts';

export function settingRepository(db: Db): SettingRepository {
  return {
    async readAll() {
      const rows = await db.selectFrom('settings').selectAll().orderBy('key').execute();
      return Object.fromEntries(rows.map((row) => [row.key, JSON.parse(row.value)]));
    },
    async set(key, value) {
      if (value === undefined) {
        await db.deleteFrom('settings').where('key', '=', key).execute();
        return;
      }
      const json = JSON.stringify(value);
      await db
        .insertInto('settings')
        .values({ key, value: json })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json }))
        .execute();
    },
  };
}
