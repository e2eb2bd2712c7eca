import type { User } from '../../../access/user.ts';
import { StoreError, type UserRepository } from '../../metadata-store.ts';
import { type Atomically, columnList, countRows, type Db, type RowOf, toFlag } from '../db.ts';
import { listCondition, pageOf } from '../statements/list-page.ts';
import { normalizeText, searchText } from '../statements/normalize-text.ts';

export function userRepository(db: Db, atomically: Atomically): UserRepository {
  return {
    async list(request) {
      const ids = db
        .selectFrom('users')
        .select('id')
        .where(listCondition(request, 'search_text'))
        .orderBy('nameKey')
        .orderBy('id')
        .limit(request.limit + 1);
      const users = joinRoles(await selectWithRoles(db).where('users.id', 'in', ids).execute());
      return pageOf(
        users,
        request.limit,
        ({ username, id }) => [normalizeText(username), id],
        (user) => user,
      );
    },
    async listSigning() {
      return joinRoles(await selectWithRoles(db).where('users.signing', 'is not', null).execute());
    },
    get: (id) => findOneBy(db, 'id', id),
    byExternalId: (externalId) => findOneBy(db, 'externalId', externalId),
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
        await inside.deleteFrom('user_roles').where('userId', '=', user.id).execute();
        await insertRoles(inside, user);
      }),
    async delete(id) {
      await db.deleteFrom('users').where('id', '=', id).execute();
    },
    countOthersWithRole: (roleId, exceptUserId, now) =>
      countRows(
        db
          .selectFrom('users')
          .innerJoin('user_roles', 'user_roles.userId', 'users.id')
          .where('user_roles.roleId', '=', roleId)
          .where('users.id', '!=', exceptUserId)
          .where('users.externalId', 'is', null)
          .where('users.kind', '=', 'person')
          .where('users.disabled', '=', 0)
          .where((eb) => eb.or([eb('users.expiresAt', 'is', null), eb('users.expiresAt', '>', now)])),
      ),
    async listAttributeNames() {
      const rows = await db.selectFrom('users').select('attributes').where('attributes', '!=', '{}').distinct().execute();
      const names = rows.flatMap(({ attributes }) => Object.keys(JSON.parse(attributes)));
      return [...new Set(names)].sort();
    },
    async readOwners() {
      const owned = db.selectFrom('users').select('ownerId').where('ownerId', 'is not', null);
      const owners = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', owned).execute();
      return new Map(owners.map(({ id, username }) => [id, username]));
    },
    count: () => countRows(db.selectFrom('users')),
  };
}

export const userColumns = columnList(
  'id kind ownerId signing username fullName email passwordHash externalId credentialVersion databaseScope attributes expiresAt disabled version createdAt nameKey',
).map((column) => `users.${column}` as const);

export type UserRow = Omit<RowOf<'users'>, 'searchText'>;

export const userOf = ({ nameKey, ...row }: UserRow, roleIds: readonly string[]): User => ({
  ...row,
  passwordHash: row.passwordHash === '' ? null : row.passwordHash,
  roleIds,
  databaseScope: JSON.parse(row.databaseScope),
  attributes: JSON.parse(row.attributes),
  disabled: row.disabled === 1,
  signing: row.signing === null ? null : JSON.parse(row.signing),
});

async function findOneBy(db: Db, column: 'id' | 'externalId', value: string): Promise<User | null> {
  const [user] = joinRoles(await selectWithRoles(db).where(`users.${column}`, '=', value).execute());
  return user ?? null;
}

/** By name. Each user has one row for each of its roles, or one row without a role. */
const selectWithRoles = (db: Db) =>
  db
    .selectFrom('users')
    .leftJoin('user_roles', 'user_roles.userId', 'users.id')
    .select(userColumns)
    .select('user_roles.roleId')
    .orderBy('users.nameKey')
    .orderBy('users.id')
    .orderBy('user_roles.position');

const joinRoles = (rows: readonly (UserRow & { readonly roleId: string | null })[]): readonly User[] =>
  [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((ofUser) => {
    const roleIds = ofUser.flatMap(({ roleId }) => roleId ?? []);
    return ofUser.slice(0, 1).map(({ roleId: _, ...row }) => userOf(row, roleIds));
  });

function rowOf({ roleIds: _, ...user }: User): RowOf<'users'> {
  return {
    ...user,
    passwordHash: user.passwordHash ?? '',
    databaseScope: JSON.stringify(user.databaseScope),
    attributes: JSON.stringify(user.attributes),
    disabled: toFlag(user.disabled),
    signing: user.signing === null ? null : JSON.stringify(user.signing),
    nameKey: normalizeText(user.username),
    searchText: searchText(user.username, user.fullName),
  };
}

async function insertRoles(db: Db, { id: userId, roleIds }: User): Promise<void> {
  const links = [...new Set(roleIds)].map((roleId, position) => ({ userId, roleId, position }));
  if (links.length > 0) await db.insertInto('user_roles').values(links).execute();
}
