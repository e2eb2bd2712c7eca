import type { Permission } from '../../access/permission.ts';
import type { PrincipalReader, Session, Standing } from '../metadata-store.ts';
import { apiKeyOf } from './api-keys.ts';
import { fold } from './fold.ts';
import { type HotQuery, hotQuery, runHot } from './hot-query.ts';
import { parsed } from './parsed-json.ts';
import type { Db } from './schema.ts';
import { type UserRow, userOf } from './users.ts';

export type PrincipalStatements = ReturnType<typeof principalStatements>;

/** Each answers with one row for each role of the user, and one row where there is none. */
export function principalStatements(db: Db) {
  const standing = db
    .selectFrom('users')
    .leftJoin('user_roles', 'user_roles.user_id', 'users.id')
    .leftJoin('roles', 'roles.id', 'user_roles.role_id')
    .select([
      'users.id',
      'users.username',
      'users.full_name',
      'users.email',
      'users.password_hash',
      'users.external_id',
      'users.credential_version',
      'users.database_scope',
      'users.expires_at',
      'users.disabled',
      'users.version',
      'users.created_at',
      'roles.id as role_id',
      'roles.name as role_name',
      'roles.permissions as role_permissions',
    ])
    .orderBy('user_roles.position');

  return {
    byKeyHash: hotQuery(
      'principal-by-key',
      standing
        .innerJoin('api_keys', 'api_keys.user_id', 'users.id')
        .select([
          'api_keys.id as key_id',
          'api_keys.name as key_name',
          'api_keys.prefix as key_prefix',
          'api_keys.hash as key_hash',
          'api_keys.queries as key_queries',
          'api_keys.limits as key_limits',
          'api_keys.created_at as key_created_at',
          'api_keys.last_used_at as key_last_used_at',
          'api_keys.expires_at as key_expires_at',
          'api_keys.revoked_at as key_revoked_at',
        ])
        .where('api_keys.hash', '=', '')
        .compile(),
    ),
    bySessionHash: hotQuery(
      'principal-by-session',
      standing
        .innerJoin('sessions', 'sessions.user_id', 'users.id')
        .select([
          'sessions.hash as session_hash',
          'sessions.credential_version as session_credential_version',
          'sessions.created_at as session_created_at',
          'sessions.last_used_at as session_last_used_at',
        ])
        .where('sessions.hash', '=', '')
        .compile(),
    ),
    byUsername: hotQuery('principal-by-name', standing.where('users.name_key', '=', '').compile()),
    byUserId: hotQuery('principal-by-id', standing.where('users.id', '=', '').compile()),
  };
}

export function principalReader(db: Db, statements: PrincipalStatements): PrincipalReader {
  return {
    async byKeyHash(hash) {
      const rows = await runHot(db, statements.byKeyHash, [hash]);
      const [first] = rows;
      return first ? { ...standingOf(first, rows), key: keyOf(first) } : null;
    },
    async bySessionHash(hash) {
      const rows = await runHot(db, statements.bySessionHash, [hash]);
      const [first] = rows;
      return first ? { ...standingOf(first, rows), session: sessionOf(first) } : null;
    },
    byUsername: (username) => standingBy(db, statements.byUsername, fold(username)),
    byUserId: (id) => standingBy(db, statements.byUserId, id),
  };
}

type RowOf<Q> = Q extends HotQuery<infer R> ? R : never;
type StandingRow = RowOf<PrincipalStatements['byUserId']>;

async function standingBy(db: Db, statement: HotQuery<StandingRow>, value: string): Promise<Standing | null> {
  const rows = await runHot(db, statement, [value]);
  const [first] = rows;
  return first ? standingOf(first, rows) : null;
}

function standingOf(user: UserRow, rows: readonly StandingRow[]): Standing {
  const roleIds: string[] = [];
  const roleNames: string[] = [];
  const permissions = new Set<Permission>();
  for (const { role_id, role_name, role_permissions } of rows) {
    if (role_id === null || role_name === null || role_permissions === null) continue;
    roleIds.push(role_id);
    roleNames.push(role_name);
    const granted = parsed<readonly Permission[]>(role_permissions);
    for (const permission of granted) permissions.add(permission);
  }
  return { user: userOf(user, roleIds), roleNames, permissions: [...permissions] };
}

const keyOf = (row: RowOf<PrincipalStatements['byKeyHash']>) =>
  apiKeyOf({
    id: row.key_id,
    user_id: row.id,
    name: row.key_name,
    prefix: row.key_prefix,
    hash: row.key_hash,
    queries: row.key_queries,
    limits: row.key_limits,
    created_at: row.key_created_at,
    last_used_at: row.key_last_used_at,
    expires_at: row.key_expires_at,
    revoked_at: row.key_revoked_at,
  });

const sessionOf = (row: RowOf<PrincipalStatements['bySessionHash']>): Session => ({
  hash: row.session_hash,
  userId: row.id,
  credentialVersion: row.session_credential_version,
  createdAt: row.session_created_at,
  lastUsedAt: row.session_last_used_at,
});
