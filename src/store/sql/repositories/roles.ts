import type { Role } from '../../../access/user.ts';
import { type RoleRepository, StoreError } from '../../metadata-store.ts';
import { columnList, type Db, type RowOf, toFlag } from '../db.ts';
import { listCondition, pageOf } from '../statements/list-page.ts';
import { normalizeText } from '../statements/normalize-text.ts';

export function roleRepository(db: Db): RoleRepository {
  return {
    async list(request) {
      const rows = await db
        .selectFrom('roles')
        .select(columns)
        .where(listCondition(request, 'name_key'))
        .orderBy('nameKey')
        .orderBy('id')
        .limit(request.limit + 1)
        .execute();
      return pageOf(rows, request.limit, (row) => [row.nameKey, row.id], roleOf);
    },
    async listAll() {
      const rows = await db.selectFrom('roles').select(columns).orderBy('nameKey').execute();
      return rows.map(roleOf);
    },
    async get(id) {
      const row = await db.selectFrom('roles').select(columns).where('id', '=', id).executeTakeFirst();
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
    // foreign keys prevent the deletion of a role in use
    async delete(id) {
      await db.deleteFrom('roles').where('id', '=', id).execute();
    },
    async listNamedByQueries() {
      const rows = await db.selectFrom('query_roles').select('roleId').distinct().execute();
      return new Set(rows.map((row) => row.roleId));
    },
  };
}

const columns = columnList('id name permissions builtIn version nameKey');

const roleOf = ({ nameKey, ...row }: RowOf<'roles'>): Role => ({
  ...row,
  permissions: JSON.parse(row.permissions),
  builtIn: row.builtIn === 1,
});

const rowOf = (role: Role): RowOf<'roles'> => ({
  ...role,
  permissions: JSON.stringify(role.permissions),
  builtIn: toFlag(role.builtIn),
  nameKey: normalizeText(role.name),
});
