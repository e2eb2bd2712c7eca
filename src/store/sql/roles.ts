import type { Selectable } from 'kysely';
import type { Role } from '../../access/user.ts';
import { type RoleRepository, StoreError } from '../metadata-store.ts';
import { fold } from './fold.ts';
import { inList, pageOf } from './list-page.ts';
import { type Db, flag, type Tables } from './schema.ts';

export function roleRepository(db: Db): RoleRepository {
  return {
    async list(request) {
      const rows = await db
        .selectFrom('roles')
        .selectAll()
        .where(inList(request, { name: 'name_key', id: 'id', search: 'name_key' }))
        .orderBy('name_key')
        .orderBy('id')
        .limit(request.limit + 1)
        .execute();
      return pageOf(rows, request.limit, (row) => [row.name_key, row.id], roleOf);
    },
    async all() {
      const rows = await db.selectFrom('roles').selectAll().orderBy('name_key').execute();
      return rows.map(roleOf);
    },
    async get(id) {
      const row = await db.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? roleOf(row) : null;
    },
    async insert(role) {
      await db.insertInto('roles').values(rowOf(role)).execute();
    },
    async update(role) {
      const { numUpdatedRows } = await db
        .updateTable('roles')
        .set(rowOf(role))
        .where('id', '=', role.id)
        .where('version', '=', role.version - 1)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new StoreError('stale', 'The role was changed in the meantime.');
    },
    // users and queries hold it by foreign keys
    async delete(id) {
      await db.deleteFrom('roles').where('id', '=', id).execute();
    },
    async namedByQueries() {
      const rows = await db.selectFrom('query_roles').select('role_id').distinct().execute();
      return new Set(rows.map((row) => row.role_id));
    },
  };
}

const roleOf = (row: Selectable<Tables['roles']>): Role => ({
  id: row.id,
  name: row.name,
  permissions: JSON.parse(row.permissions),
  builtIn: row.built_in === 1,
  version: row.version,
});

const rowOf = (role: Role): Selectable<Tables['roles']> => ({
  id: role.id,
  name: role.name,
  name_key: fold(role.name),
  permissions: JSON.stringify(role.permissions),
  built_in: flag(role.builtIn),
  version: role.version,
});
