import { setTimeout as sleep } from 'node:timers/promises';
import {
  CamelCasePlugin,
  type Compilable,
  type CompiledQuery,
  DeleteResult,
  type Dialect,
  type Generated,
  HandleEmptyInListsPlugin,
  Kysely,
  replaceWithNoncontingentExpression,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type UpdateResult,
} from 'kysely';
import type { Embed, Share } from '../../access/share.ts';
import type { Role, User } from '../../access/user.ts';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import type { Query, QueryVersion } from '../../catalog/query.ts';
import type {
  AccessToken,
  ApiKey,
  DatabaseRecord,
  DatabaseTest,
  OAuthArtifact,
  OAuthClient,
  OAuthGrant,
  ReportedExecution,
  Session,
} from '../metadata-store.ts';
import { isConflict } from './statements/store-errors.ts';

/**
 * Rows have the fields of the record that they store, with flags as 0 or 1 and objects as JSON text. `nameKey` and `searchText` are
 * normalized texts. The query builder converts camelCase to the snake_case of the database; raw SQL is sent unchanged.
 *
 * Records are read by named columns, not by `*`: during a rolling update a newer version may have added some. They would become fields,
 * and PostgreSQL refuses a prepared statement whose columns have changed.
 */
export interface Tables {
  migrations: { name: string; at: number };
  users: Row<Omit<User, 'roleIds' | 'passwordHash'>> & {
    passwordHash: string; // empty: none
    nameKey: string;
    searchText: string;
  };
  /** Changes invalidate cached records, so that blocking takes effect at once; those of `viewers`, which counts calls, do not. */
  blocked_viewers: { userId: string; sub: string; blockedAt: number };
  viewers: { userId: string; sub: string; calls: number; lastUsedAt: number };
  roles: Row<Role> & { nameKey: string };
  user_roles: { userId: string; roleId: string; position: number };
  api_keys: Row<ApiKey> & { slot: number | null };
  /** Separate from the keys, so that counting does not invalidate cached keys. `day` counts from 1970, UTC. */
  api_key_rows: { keyId: string; day: number; rowCount: number };
  sessions: Row<Session>;
  embeds: Row<Omit<Embed, 'viewer' | 'open'>> & { searchText: string };
  links: Row<Omit<Share, 'open'>> & { settings: string; searchText: string };
  databases: Row<DatabaseRecord> & { nameKey: string };
  database_tests: DatabaseTest & { databaseId: string };
  queries: QueryTable;
  /** `activation` is the number by which callers pin it. */
  query_versions: Row<Omit<QueryVersion, 'activation'>> & {
    activation: number | null;
    activatedAt: number | null;
    retiresAt: number | null;
  };
  /** The roles of the current version and of the draft; those of older versions have no effect. */
  query_roles: { queryId: string; stage: 'current' | 'draft'; roleId: string };
  query_tags: { queryId: string; tagKey: string };
  favorites: { userId: string; queryId: string; createdAt: number };
  query_uses: { userId: string; queryId: string; lastAt: number };
  query_runs: {
    queryId: string;
    lastAt: number; // by anyone
    runs: Generated<number>;
    answerBytes: number | null;
    answerTokens: number | null;
  };
  settings: { key: string; value: string }; // JSON
  audit: AuditTable;
  executions: Row<Omit<ReportedExecution, 'user' | 'rows'>> & {
    process: string;
    userName: string;
    rowCount: number;
    cancelWanted: Flag;
    seenAt: number;
  };
  leases: { name: string; holder: string; untilAt: number };
  data_files: {
    name: string;
    latest: string | null; // this and the next one: JSON
    ranged: string | null;
    rangedAt: number | null;
    holder: string | null;
    untilAt: number;
    expiresAt: number;
  };
  guesses: { about: string; at: number }; // `about` is a hash
  oauth_clients: Row<Omit<OAuthClient, 'managed'>> & { managed: string | null };
  oauth_grants: Row<Omit<OAuthGrant, 'queries'>> & { queries: string | null };
  oauth_tokens: Row<AccessToken>;
  oauth_artifacts: Row<OAuthArtifact>;
}

export type Db = Kysely<Tables>;
export const openDb = (dialect: Dialect): Db => new Kysely<Tables>({ dialect, plugins });
const plugins = [
  new CamelCasePlugin(),
  new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression }), // `in ()` is false
];

export type RowOf<Table extends keyof Tables> = Selectable<Tables[Table]>;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The names of columns, separated by blanks. */
export const columnList = <Text extends string>(text: Text) => text.split(' ') as Words<Text>[]; // which TypeScript does not derive

export type Flag = 0 | 1;
export const toFlag = (value: boolean): Flag => (value ? 1 : 0);

export const rowCount = sql<number>`count(*)`.as('count');

export async function countRows<T extends keyof Tables>(rows: SelectQueryBuilder<Tables, T, object>): Promise<number> {
  const { count } = await rows.select(rowCount).executeTakeFirstOrThrow();
  return count;
}

/** Executes a statement and returns whether it updated or deleted a row. */
export async function hasEffect(statement: { executeTakeFirst(): Promise<UpdateResult | DeleteResult> }): Promise<boolean> {
  const result = await statement.executeTakeFirst();
  return (result instanceof DeleteResult ? result.numDeletedRows : result.numUpdatedRows) > 0n;
}

/** Writes all changes or none, ordered by id, so that concurrent transactions lock rows in the same order and cannot deadlock. */
export async function writeById<T extends { readonly id: string }>(
  atomically: Atomically,
  changes: readonly T[],
  write: (inside: Db, change: T) => Promise<unknown>,
): Promise<void> {
  if (changes.length === 0) return;
  const ordered = changes.toSorted((a, b) => toFlag(a.id > b.id) - toFlag(a.id < b.id));
  await atomically(async (inside) => {
    for (const change of ordered) await write(inside, change);
  });
}

/** Records when keys or grants were last used. The clocks of processes differ: an earlier time changes nothing. */
export const noteLastUses = (
  atomically: Atomically,
  table: 'api_keys' | 'oauth_grants',
  uses: readonly { readonly id: string; readonly at: number }[],
): Promise<void> =>
  writeById(atomically, uses, (inside, { id, at }) => {
    const used = inside.updateTable(table).set({ lastUsedAt: at }).where('id', '=', id);
    return used.where(sql<boolean>`coalesce(last_used_at, 0) < ${at}`).execute();
  });

/** When a key or a viewer of each user was last seen; users without a use are left out. */
export async function readLastUses(
  db: Db,
  table: 'api_keys' | 'viewers',
  userIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom(table)
    .select(['userId', sql<number>`max(last_used_at)`.as('lastUsedAt')])
    .where('userId', 'in', userIds)
    .where('lastUsedAt', 'is not', null)
    .groupBy('userId')
    .execute();
  return new Map(rows.map(({ userId, lastUsedAt }) => [userId, lastUsedAt]));
}

type Row<T> = { [Field in keyof T]: Cell<T[Field]> };
type Cell<Value> = Value extends boolean ? Flag : Value extends string | number | null ? Value : string;

interface QueryTable extends Row<Omit<Query, 'current' | 'draft'>> {
  currentVersion: number;
  draftVersion: number | null;
  draftStatus: 'Draft' | 'Validated' | null;
  // of the current version, for lists
  nameKey: string;
  searchText: string;
  databaseId: string;
  aiAccess: Flag;
}

interface AuditTable extends Row<Omit<AuditEntry, 'user' | 'rows' | 'bytes'>> {
  seq: Generated<number>;
  userName: string | null;
  userKey: string | null; // normalized
  rowCount: number | null;
  byteCount: number | null;
  searchText: string;
}

/** A statement with one parameter that calls run often: compiled once for the store, prepared once on each connection. */
export interface PreparedQuery<R> extends CompiledQuery<R> {
  readonly preparedName: string;
}

/** The parameter of `query` is a placeholder. */
export const prepareQuery = <R>(preparedName: string, query: Compilable<R>): PreparedQuery<R> => ({
  ...query.compile(),
  preparedName,
});

export async function run<R>(db: Db, query: PreparedQuery<R>, parameter: string): Promise<R[]> {
  const { rows } = await db.executeQuery<R>({ ...query, parameters: [parameter] });
  return rows;
}

export function preparedNameOf(query: CompiledQuery): string | undefined {
  return 'preparedName' in query && typeof query.preparedName === 'string' ? query.preparedName : undefined;
}

/** Runs all of `work` or nothing: in the open transaction, or in a new one. */
export type Atomically = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

const ATTEMPTS = 10;

/** Runs `work` in a new serializable transaction, again if PostgreSQL reports a conflict. */
export async function runInTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
      await sleep(Math.random() * 10 * 2 ** Math.min(attempt, 5));
    }
  }
}
