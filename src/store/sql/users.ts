import type { Selectable } from 'kysely';
import type { User } from '../../access/user.ts';
import { StoreError, type UserRepository } from '../metadata-store.ts';
import type { Atomically } from './atomically.ts';
import { fold, searchText } from './fold.ts';
import { inList, pageOf } from './list-page.ts';
import { type Db, flag, type Tables } from './schema.ts';

export function userRepository(db: Db, atomically: Atomically): UserRepository {
  return {
    async list(request) {
      const page = db
        .selectFrom('users')
        .selectAll()
        .where(inList(request, { name: 'name_key', id: 'id', search: 'search_text' }))
        .orderBy('name_key')
        .orderBy('id')
        .limit(request.limit + 1)
        .as('users');
      const rows = await db
        .selectFrom(page)
        .leftJoin('user_roles', 'user_roles.user_id', 'users.id')
        .selectAll('users')
        .select('user_roles.role_id')
        .orderBy('users.name_key')
        .orderBy('users.id')
        .orderBy('user_roles.position')
        .execute();
      return pageOf([...byUser(rows)], request.limit, ([row]) => [row.name_key, row.id], userFrom);
    },
    get: (id) => oneBy(db, 'id', id),
    byExternalId: (externalId) => oneBy(db, 'external_id', externalId),
    insert: (user) =>
      atomically(async (inside) => {
        await inside.insertInto('users').values(rowOf(user)).execute();
        await insertRoles(inside, user);
      }),
    update: (user) =>
      atomically(async (inside) => {
        const { numUpdatedRows } = await inside
          .updateTable('users')
          .set(rowOf(user))
          .where('id', '=', user.id)
          .where('version', '=', user.version - 1)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new StoreError('stale', 'The user was changed in the meantime.');
        await inside.deleteFrom('user_roles').where('user_id', '=', user.id).execute();
        await insertRoles(inside, user);
      }),
    async delete(id) {
      await db.deleteFrom('users').where('id', '=', id).execute();
    },
    async countOthersWithRole(roleId, exceptUserId, now) {
      const { count } = await db
        .selectFrom('users')
        .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_roles.role_id', '=', roleId)
        .where('users.id', '!=', exceptUserId)
        .where('users.external_id', 'is', null)
        .where('users.disabled', '=', 0)
        .where((eb) => eb.or([eb('users.expires_at', 'is', null), eb('users.expires_at', '>', now)]))
        .executeTakeFirstOrThrow();
      return count;
    },
    async count() {
      const { count } = await db
        .selectFrom('users')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

export type UserRow = Omit<Selectable<Tables['users']>, 'name_key' | 'search_text'>;

export function userOf(row: UserRow, roleIds: readonly string[]): User {
  return {
    id: row.id,
    username: row.username,
    fullName: row.full_name,
    email: row.email,
    passwordHash: row.password_hash === '' ? null : row.password_hash,
    externalId: row.external_id,
    credentialVersion: row.credential_version,
    roleIds,
    databaseScope: JSON.parse(row.database_scope),
    expiresAt: row.expires_at,
    disabled: row.disabled === 1,
    version: row.version,
    createdAt: row.created_at,
  };
}

async function oneBy(db: Db, column: 'id' | 'external_id', value: string): Promise<User | null> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('user_roles', 'user_roles.user_id', 'users.id')
    .selectAll('users')
    .select('user_roles.role_id')
    .where(`users.${column}`, '=', value)
    .orderBy('user_roles.position')
    .execute();
  const [found] = byUser(rows);
  return found ? userFrom(found) : null;
}

type RowWithRole = Selectable<Tables['users']> & { role_id: string | null };
type RowsOfUser = [RowWithRole, ...RowWithRole[]];

function byUser(rows: readonly RowWithRole[]): Iterable<RowsOfUser> {
  const users = new Map<string, RowsOfUser>();
  for (const row of rows) {
    const known = users.get(row.id);
    if (known) known.push(row);
    else users.set(row.id, [row]);
  }
  return users.values();
}

const userFrom = (rows: RowsOfUser): User =>
  userOf(
    rows[0],
    rows.map((row) => row.role_id).filter((id) => id !== null),
  );

const rowOf = (user: User): Selectable<Tables['users']> => ({
  id: user.id,
  username: user.username,
  name_key: fold(user.username),
  search_text: searchText(user.username, user.fullName),
  full_name: user.fullName,
  email: user.email,
  password_hash: user.passwordHash ?? '',
  external_id: user.externalId,
  credential_version: user.credentialVersion,
  database_scope: JSON.stringify(user.databaseScope),
  expires_at: user.expiresAt,
  disabled: flag(user.disabled),
  version: user.version,
  created_at: user.createdAt,
});

async function insertRoles(db: Db, user: User): Promise<void> {
  const roleIds = [...new Set(user.roleIds)];
  if (roleIds.length === 0) return;
  const links = roleIds.map((roleId, position) => ({ user_id: user.id, role_id: roleId, position }));
  await db.insertInto('user_roles').values(links).execute();
}
