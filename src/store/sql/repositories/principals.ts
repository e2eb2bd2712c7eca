import type { Permission } from '../../../access/permission.ts';
import type { PrincipalReader, Standing } from '../../metadata-store.ts';
import { type Db, type PreparedQuery, prepareQuery, run } from '../db.ts';
import { normalizeText } from '../statements/normalize-text.ts';
import { apiKeyColumns, apiKeyOf } from './api-keys.ts';
import { grantColumns, grantOf } from './oauth.ts';
import { userColumns, userOf, type UserRow } from './users.ts';

/** Each user has one row for each of its roles, or one row without a role. */
export function principalStatements(db: Db) {
  const standing = db
    .selectFrom('users')
    .leftJoin('user_roles', 'user_roles.userId', 'users.id')
    .leftJoin('roles', 'roles.id', 'user_roles.roleId')
    .select(userColumns)
    .select(['roles.id as roleId', 'roles.name as roleName', 'roles.permissions as rolePermissions'])
    .orderBy('user_roles.position');

  return {
    keyByHash: prepareQuery('key-by-hash', db.selectFrom('api_keys').select(apiKeyColumns).where('hash', '=', '')),
    tokenByHash: prepareQuery(
      'token-by-hash',
      db
        .selectFrom('oauth_tokens')
        .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grantId')
        .select(grantColumns)
        .select('oauth_tokens.expiresAt as tokenExpiresAt')
        .where('oauth_tokens.hash', '=', ''),
    ),
    sessionByHash: prepareQuery(
      'session-by-hash',
      db.selectFrom('sessions').select(['hash', 'userId', 'credentialVersion', 'createdAt', 'lastUsedAt']).where('hash', '=', ''),
    ),
    byUsername: prepareQuery('principal-by-name', standing.where('users.nameKey', '=', '')),
    byUserId: prepareQuery('principal-by-id', standing.where('users.id', '=', '')),
  };
}

export function principalReader(db: Db, statements: ReturnType<typeof principalStatements>): PrincipalReader {
  const byUserId = (id: string): Promise<Standing | null> => readStandingBy(db, statements.byUserId, id);
  return {
    async byKeyHash(hash) {
      const [row] = await run(db, statements.keyByHash, hash);
      const standing = row ? await byUserId(row.userId) : null;
      return row && standing ? { ...standing, key: apiKeyOf(row) } : null;
    },
    async byTokenHash(hash) {
      const [row] = await run(db, statements.tokenByHash, hash);
      const standing = row ? await byUserId(row.userId) : null;
      return row && standing ? { ...standing, grant: grantOf(row), expiresAt: row.tokenExpiresAt } : null;
    },
    async bySessionHash(hash) {
      const [session] = await run(db, statements.sessionByHash, hash);
      const standing = session ? await byUserId(session.userId) : null;
      return session && standing ? { ...standing, session } : null;
    },
    byUsername: (username) => readStandingBy(db, statements.byUsername, normalizeText(username)),
    byUserId,
  };
}

type StandingRow = UserRow & { roleId: string | null; roleName: string | null; rolePermissions: string | null };

async function readStandingBy(db: Db, statement: PreparedQuery<StandingRow>, value: string): Promise<Standing | null> {
  const rows = await run(db, statement, value);
  const [first] = rows;
  if (first === undefined) return null;
  const { roleId: _id, roleName: _name, rolePermissions: _permissions, ...user } = first;
  const roleIds: string[] = [];
  const roleNames: string[] = [];
  const permissions = new Set<Permission>();
  for (const { roleId, roleName, rolePermissions } of rows) {
    if (roleId === null || roleName === null || rolePermissions === null) continue;
    roleIds.push(roleId);
    roleNames.push(roleName);
    const granted: readonly Permission[] = JSON.parse(rolePermissions);
    for (const permission of granted) permissions.add(permission);
  }
  return { user: userOf(user, roleIds), roleNames, permissions: [...permissions] };
}
