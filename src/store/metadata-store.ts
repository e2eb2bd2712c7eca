import type { KeyLimits, KeyTools } from '../access/api-key.ts';
import type { Permission } from '../access/permission.ts';
import type { DataLink, Embed, KeptParameters, Lifetime, Share } from '../access/share.ts';
import type { Role, User } from '../access/user.ts';
import type { Query, QueryStatus, QueryVersion } from '../catalog/query.ts';
import type { AuditRepository } from './audit-repository.ts';
import type { ExecutionRepository, GuessRepository, LeaseRepository, LimitRepository } from './coordination.ts';
import type { DataFileRepository } from './data-file-repository.ts';
import type { ListPage, ListRequest } from './list-page.ts';
import type { OAuthGrant, OAuthRepository } from './oauth-repository.ts';
import type { ViewerRepository } from './viewer-repository.ts';

export type * from './audit-repository.ts';
export type * from './coordination.ts';
export type * from './data-file-repository.ts';
export type * from './list-page.ts';
export type * from './oauth-repository.ts';
export type * from './viewer-repository.ts';

/**
 * The contract of the metadata store. It is implemented once in SQL (store/sql); SQLite and PostgreSQL differ in how they open. Times are
 * epoch milliseconds, passed by the caller. Repositories throw only StoreError.
 */
export interface MetadataStore extends Repositories {
  readonly catalog: QueryCatalog;
  /** Null: only the processes of one machine use the store, and each keeps its own limits. */
  readonly limits: LimitRepository | null;
  /** Serializable: what was read inside is still true at the commit. May run `work` again. */
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /** Writes one row, always the same, and so proves that the store can be written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Repositories {
  readonly principals: PrincipalReader;
  readonly users: UserRepository;
  readonly viewers: ViewerRepository;
  readonly oauth: OAuthRepository;
  readonly roles: RoleRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly sessions: SessionRepository;
  readonly embeds: EmbedRepository;
  readonly links: ShareRepository<DataLink>;
  readonly databases: DatabaseRepository;
  readonly queries: QueryRepository;
  readonly queryUses: QueryUseRepository;
  readonly audit: AuditRepository;
  readonly settings: SettingRepository;
  readonly executions: ExecutionRepository;
  readonly leases: LeaseRepository;
  readonly dataFiles: DataFileRepository;
  readonly guesses: GuessRepository;
}

export type StoreErrorKind =
  | 'taken' // a unique name
  | 'in-use' // something still refers to it
  | 'stale' // `version` is no longer the expected one
  | 'bad-cursor' // of a list
  | 'unavailable'; // locked, full, unreachable

export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  constructor(kind: StoreErrorKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreError';
    this.kind = kind;
  }
}

/** The indexed reads of authentication. Null if there is none; the caller checks the expiry. */
export interface PrincipalReader {
  byKeyHash(hash: string): Promise<(Standing & { readonly key: ApiKey }) | null>;
  byTokenHash(hash: string): Promise<(Standing & { readonly grant: OAuthGrant; readonly expiresAt: number }) | null>;
  bySessionHash(hash: string): Promise<(Standing & { readonly session: Session }) | null>;
  byUsername(username: string): Promise<Standing | null>; // ignoring case
  byUserId(id: string): Promise<Standing | null>;
}
export interface Standing {
  readonly user: User;
  readonly roleNames: readonly string[]; // in the order of user.roleIds
  readonly permissions: readonly Permission[]; // union over the roles
}

export interface UserRepository {
  list(request: ListRequest): Promise<ListPage<User>>;
  get(id: string): Promise<User | null>;
  byExternalId(externalId: string): Promise<User | null>; // exact
  listSigning(): Promise<readonly User[]>; // applications with signing keys
  listAttributeNames(): Promise<readonly string[]>; // of all users
  /** The names of the persons who own applications, by id. */
  readOwners(): Promise<ReadonlyMap<string, string>>;
  insert(user: User): Promise<void>; // taken
  /** Replaces all fields if the stored version is `user.version - 1`. */
  update(user: User): Promise<void>; // taken, stale
  delete(id: string): Promise<void>;
  /** The number of other local accounts of persons that have the role, are enabled and not expired at `now`. */
  countOthersWithRole(roleId: string, exceptUserId: string, now: number): Promise<number>;
  count(): Promise<number>;
}

export interface RoleRepository {
  list(request: ListRequest): Promise<ListPage<Role>>;
  listAll(): Promise<readonly Role[]>;
  get(id: string): Promise<Role | null>;
  insert(role: Role): Promise<void>; // taken (ignoring case)
  update(role: Role): Promise<void>; // taken, stale
  delete(id: string): Promise<void>; // in-use: by a user or by a query (current or draft version)
  /** Ids of the roles named by the current version or the draft of any query, in any status. */
  listNamedByQueries(): Promise<ReadonlySet<string>>;
}

export interface ApiKey {
  readonly id: string; // 8 characters, which the key contains
  readonly userId: string;
  readonly name: string;
  readonly prefix: string; // 'slc_ab12cd34'
  readonly hash: string; // hex SHA-256 of the whole key, unique
  readonly queries: readonly string[] | null;
  readonly limits: KeyLimits | null;
  readonly tools: KeyTools;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}
export interface EndingKey extends Pick<ApiKey, 'userId' | 'name' | 'prefix' | 'lastUsedAt'> {
  readonly username: string;
  readonly expiresAt: number;
}
export interface ApiKeyRepository {
  /** All keys of the user, newest first, including revoked and expired ones. */
  listForUser(userId: string): Promise<readonly ApiKey[]>;
  get(id: string): Promise<ApiKey | null>;
  /** Active keys that expire in a period, the first one first; of one user or of all. */
  listEnding(request: {
    readonly after: number;
    readonly until: number;
    readonly limit: number;
    readonly userId?: string;
  }): Promise<readonly EndingKey[]>;
  /** Assigns one of the user's slots 1..`slots`, atomically; a key that is revoked or expired at `now` has none. False if all are in use. */
  insert(key: ApiKey, slots: number, now: number): Promise<boolean>;
  rename(id: string, name: string): Promise<void>;
  /** False if it was already revoked. */
  revoke(id: string, at: number): Promise<boolean>;
  touch(uses: readonly { id: string; at: number }[]): Promise<void>;
  /** When a key of each user was last used; users without a use are left out. */
  readLastUses(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Adds to the rows that keys received on a day (since 1970, UTC); only the latest day is kept. */
  addRows(day: number, added: readonly { id: string; rows: number }[]): Promise<void>;
  /** Keys without rows are left out. */
  rowsOn(day: number, ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface Session {
  readonly hash: string; // hex SHA-256 of the cookie's value
  readonly userId: string;
  readonly credentialVersion: number; // of the user at sign-in; the session ends when it changes
  readonly createdAt: number;
  readonly lastUsedAt: number;
}
export interface SessionRepository {
  insert(session: Session): Promise<void>;
  /** Deletes the user's sessions except the `keep` most recently used. */
  deleteAllBut(userId: string, keep: number): Promise<void>;
  touch(hash: string, at: number): Promise<void>;
  delete(hash: string): Promise<void>;
  deleteForUser(userId: string): Promise<void>;
  deleteUnusedSince(lastUsedBefore: number, createdBefore: number): Promise<void>;
}

/** Embeds or data links. */
export interface ShareRepository<S extends Share> {
  countOf(userId: string): Promise<number>;
  /** Newest first; `search` matches the technical name and the title. Without a user, those of all users. */
  list(request: ListRequest & { readonly userId?: string }): Promise<ListPage<S>>;
  get(id: string): Promise<S | null>;
  insert(share: S): Promise<void>; // taken: id
  /** Replaces the valid token. False if there is no such share. */
  reissue(id: string, issue: Lifetime): Promise<boolean>;
  /** False if there is no such share. */
  delete(id: string): Promise<boolean>;
  keepParameters(id: string, parameters: KeptParameters): Promise<void>;
  addViews(views: readonly { id: string; count: number; at: number }[]): Promise<void>;
  deleteExpiredBefore(time: number): Promise<void>; // those without an expiry are kept
}
export interface EmbedRepository extends ShareRepository<Embed> {
  /** Changes chart and lifetime; the token stays. False if there is no such embed with this token. */
  change(embed: Embed): Promise<boolean>;
}

export interface DatabaseRecord {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly connection: Readonly<Record<string, unknown>>; // without secrets
  readonly sealedSecrets: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly disabled: boolean;
  readonly writable: boolean;
  readonly builtIn: boolean; // the demo database
  readonly version: number;
  readonly createdAt: number;
  readonly deletedAt: number | null;
}
/** The last test of a connection. */
export interface DatabaseTest {
  readonly at: number;
  readonly problem: string | null; // null: it worked
}
export interface DatabaseRepository {
  list(request: ListRequest): Promise<ListPage<DatabaseRecord>>; // without deleted ones, like `listAll` and `byName`
  listAll(): Promise<readonly DatabaseRecord[]>;
  get(id: string): Promise<DatabaseRecord | null>; // also if deleted, so that old queries can show its name
  byName(name: string): Promise<DatabaseRecord | null>; // exact
  insert(database: DatabaseRecord): Promise<void>; // taken (ignoring case, deleted ones do not count)
  update(database: DatabaseRecord): Promise<void>; // taken, stale; deletion is an update of deletedAt
  countActiveQueries(id: string): Promise<number>;
  readLastTests(): Promise<ReadonlyMap<string, DatabaseTest>>; // by id; databases that were not tested are left out
  noteTest(id: string, test: DatabaseTest): Promise<void>;
  forgetTest(id: string): Promise<void>;
}

export interface QueryFilter {
  readonly statuses?: readonly QueryStatus[];
  readonly databaseIds?: readonly string[]; // of the current version
  readonly tag?: string;
  /** Only queries without roles or with one of these. */
  readonly grantedToRoles?: readonly string[];
  readonly queryNames?: readonly string[];
  readonly aiAccess?: boolean;
  readonly favoriteOf?: string; // user id
  readonly usedBy?: string; // user id
  readonly ofPerson?: string; // user name: created or last changed by this person
  readonly byOthersThan?: string; // user name: last changed by somebody else
  readonly publishedSince?: number; // or changed without a new version
  readonly isUnpublished?: boolean; // has a draft, or is not published yet
  readonly nameFixed?: boolean;
  readonly choicesFrom?: string; // technical name: a parameter of the current version or the draft has its choices from this query
}
/** `lastUsed` is the use by the user with this id, `published` as in the filter. Queries without a value come last. */
export interface QueryOrder {
  readonly by: 'name' | 'database' | 'owner' | 'status' | 'changed' | 'published' | 'lastRun' | 'runs' | 'active' | 'lastUsed';
  readonly descending: boolean;
  readonly userId?: string;
}
export interface QueryListRequest extends QueryFilter, ListRequest {
  /** Words of the current version; typos are tolerated. Without an order, the best matches come first. */
  readonly search?: string;
  readonly order?: QueryOrder; // default: by name, ignoring case and accents, numbers by their value
}
/** The queries for lists and searches: an index in memory that contains every change committed before a call. */
export interface QueryCatalog {
  list(request: QueryListRequest): Promise<ListPage<Query>>;
  /** The technical names of `list`, without reading the queries. */
  names(request: QueryListRequest): Promise<readonly string[]>;
  count(filter: QueryFilter): Promise<readonly QueryCount[]>;
  /** A hash that changes with every change of the queries that match. */
  fingerprint(filter: QueryFilter): Promise<string>;
  byQueryNameIgnoringCase(queryName: string): Promise<Query | null>; // null if several match
}
export interface QueryCount {
  readonly status: QueryStatus;
  readonly databaseId: string;
  readonly count: number;
  readonly unpublished: number; // of these
}
export interface ActivatedVersion {
  readonly version: QueryVersion;
  readonly supersededAt: number | null; // when the next one was activated
}
export interface QueryRepository {
  get(id: string): Promise<Query | null>;
  getMany(ids: readonly string[]): Promise<readonly Query[]>; // in any order; unknown ids are left out
  byQueryName(queryName: string): Promise<Query | null>; // exact; the hot path of execution
  byName(name: string): Promise<readonly Query[]>; // the Active ones of a display name, ignoring case; at most 20
  insert(query: Query): Promise<void>; // taken: queryName
  /**
   * Writes the entry and its current version and draft if the stored revision is `query.revision - 1`. Of a version that is already
   * stored, only labels and result columns change.
   */
  update(query: Query): Promise<void>; // taken, stale
  listVersions(queryId: string): Promise<readonly QueryVersion[]>; // newest first
  /** The version that was Active under this number, with its latest labels; null if none was. */
  readActivated(queryId: string, number: number): Promise<ActivatedVersion | null>;
  /** Sets when the version that was Active under this number can no longer be pinned. */
  retire(queryId: string, number: number, at: number): Promise<void>;
  countByStatus(): Promise<Readonly<Partial<Record<QueryStatus, number>>>>;
  /** Ids of the queries that were written since an earlier call returned `mark`; null: all. */
  listChangedSince(mark: string | null): Promise<{ readonly ids: readonly string[]; readonly mark: string }>;
  /** At most `limit` of those that depend on a query at `now`, by its technical name. */
  listDependants(queryName: string, request: { readonly now: number; readonly limit: number }): Promise<QueryDependants>;
  /** The sources that parameters of Active queries are bound to: `user.email`, `user.attributes.region`. */
  listBoundSources(): Promise<ReadonlySet<string>>;
}

/** An embed, a data link or a key with typed tools. `queryName` is the name that it has stored, perhaps with a version. */
export interface StoredDependant {
  readonly kind: 'embed' | 'link' | 'typedKey';
  readonly id: string;
  readonly name: string;
  readonly owner: string; // user name
  readonly queryName: string;
}
export interface QueryDependants {
  readonly items: readonly StoredDependant[];
  readonly count: number; // of all
}

/** How a user uses a query. */
export interface QueryUse {
  readonly isFavorite: boolean;
  readonly lastUsedAt: number | null; // by the user
  readonly lastRunAt: number | null; // by anyone
}
export interface QueryRun {
  readonly queryId: string;
  readonly userId: string | null; // null: a program, not a person
  readonly at: number;
  readonly count?: number; // default: one
  readonly answer?: ModelAnswer | undefined;
}
/** The size of the rows that an AI assistant gets by default. */
export interface ModelAnswer {
  readonly bytes: number;
  readonly tokens: number; // about
}
export interface QueryUseRepository {
  addFavorite(userId: string, queryId: string, at: number): Promise<void>; // no change if it is one already
  removeFavorite(userId: string, queryId: string): Promise<void>;
  readUses(userId: string, queryIds: readonly string[]): Promise<ReadonlyMap<string, QueryUse>>; // by the id of the query
  favorites(userId: string): Promise<readonly string[]>; // ids
  readLastUses(userId: string): Promise<ReadonlyMap<string, number>>; // by the id of the query
  readLastRuns(): Promise<ReadonlyMap<string, number>>;
  readRunCounts(): Promise<ReadonlyMap<string, number>>;
  /** The last response of each query, by technical name, the largest first. */
  readAnswers(limit: number): Promise<ReadonlyMap<string, ModelAnswer>>;
  /** Keeps the latest times and answers. Users and queries that are not stored are left out. */
  noteRuns(runs: readonly QueryRun[]): Promise<void>;
}

export interface SettingRepository {
  readAll(): Promise<Readonly<Record<string, unknown>>>;
  set(key: string, value: unknown): Promise<void>; // undefined deletes
}
