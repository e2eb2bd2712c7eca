import {
  embedBehind,
  fixedValuesOf,
  has,
  isInScope,
  narrowedTo,
  type Principal,
  shareOf,
  viewerBehind,
} from '../access/principal.ts';
import type { Channel } from '../audit/audit-entry.ts';
import { fixedNames } from '../catalog/parameter.ts';
import type { Query, QueryDefinition, QueryVersion } from '../catalog/query.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../core/errors.ts';
import type { DatabaseRecord, MetadataStore, QueryFilter, Repositories } from '../store/metadata-store.ts';

export type QueryStore = Pick<MetadataStore, 'queries' | 'catalog' | 'databases'>;

/** A query by its technical name, its id, or both. */
export interface QueryReference {
  readonly queryName?: string | undefined;
  readonly id?: string | undefined;
}

export interface RunnableQuery {
  readonly query: Query; // `current` is the version that runs, under the number that callers know
  readonly database: DatabaseRecord;
  readonly pin: Pin | null; // null: the caller did not name a version
}

/** The version that a caller named. */
export interface Pin {
  readonly supersededAt: number | null; // null: it is the current one
  readonly retiresAt: number | null;
}

/** The version of a query that a call ran. */
export interface RanVersion extends Pick<RunnableQuery, 'pin'> {
  readonly queryName: string;
  readonly version: number;
}

export const ranVersion = (
  { query, pin }: Pick<RunnableQuery, 'query' | 'pin'>,
  version: number = query.current.version,
): RanVersion => ({ queryName: query.queryName, version, pin });

/** The name by which the caller can run the same version again. */
export const nameAsCalled = ({ query, pin }: Pick<RunnableQuery, 'query' | 'pin'>): string =>
  pin === null ? query.queryName : `${query.queryName}@${query.current.version}`;

/** `QD_Sales_Demo@3` names a version. Technical names have no `@`. */
export function readPin(name: string): { readonly queryName: string; readonly version: number | null } {
  const at = name.lastIndexOf('@');
  return at >= 0 && /^\d+$/.test(name.slice(at + 1))
    ? { queryName: name.slice(0, at), version: Number(name.slice(at + 1)) }
    : { queryName: name, version: null };
}

/** The version that an embed or a data link shows to every caller; null if there is no such query. */
export async function readNamedVersion({ queries }: Pick<Repositories, 'queries'>, name: string): Promise<QueryVersion | null> {
  const { queryName, version } = readPin(name);
  const query = await queries.byQueryName(queryName);
  if (query === null || version === null) return query?.current ?? null;
  return (await queries.readActivated(query.id, version))?.version ?? query.current;
}

/**
 * The Active query that this principal may run over the channel. All other queries have the same failure, so that callers cannot probe for
 * them. A caller who sent a display name gets the technical names of the queries that they may run. A retired version is found for its
 * results only.
 */
export async function findQuery(
  store: QueryStore,
  principal: Principal,
  { queryName, id }: QueryReference,
  channel: Channel,
  { forResult = false, now = Date.now() }: { readonly forResult?: boolean; readonly now?: number } = {},
): Promise<Result<RunnableQuery>> {
  const named = queryName === undefined ? null : readPin(queryName);
  const byId = id === undefined ? undefined : await findById(store, principal, id, channel);
  const byName = named === null ? undefined : await findByName(store, principal, named.queryName, channel);
  const found = byName ?? byId ?? null;
  if (found === null) return failed({ kind: 'QueryNotAccessible', ...(await namesOf(store, principal, queryName, channel)) });
  if (byName !== undefined && byId !== undefined && byName?.query.id !== byId?.query.id)
    return failed(fieldInvalid('queryName', 'It names another query than queryId does. Send one of the two.'));
  if (named === null || named.version === null) return succeeded(found);
  return pinVersion(store, principal, found, named.version, channel, forResult ? 0 : now);
}

export async function findById(
  store: QueryStore,
  principal: Principal,
  id: string,
  channel: Channel,
): Promise<RunnableQuery | null> {
  return toRunnable(store, principal, await store.queries.get(id), channel);
}

/** Case counts only if there is an exact match. */
export async function findByName(
  store: QueryStore,
  principal: Principal,
  queryName: string,
  channel: Channel,
): Promise<RunnableQuery | null> {
  const query = (await store.queries.byQueryName(queryName)) ?? (await store.catalog.byQueryNameIgnoringCase(queryName));
  return toRunnable(store, principal, query, channel);
}

async function toRunnable(
  store: QueryStore,
  principal: Principal,
  query: Query | null,
  channel: Channel,
): Promise<RunnableQuery | null> {
  if (query === null || !mayRun(principal, query) || !isOfferedOver(channel, query)) return null;
  const { current } = query;
  const database = await findUsable(store, current.definition.databaseId);
  if (database === null) return null;
  const version = current.activation?.number ?? current.version;
  return { query: version === current.version ? query : { ...query, current: { ...current, version } }, database, pin: null };
}

async function findUsable(store: Pick<MetadataStore, 'databases'>, id: string): Promise<DatabaseRecord | null> {
  const database = await store.databases.get(id);
  return database === null || database.disabled || database.deletedAt !== null ? null : database;
}

/**
 * An earlier version of a query that the principal may run. Roles, AI access and state are the query's of now; the version's own
 * database must be in scope as well, and if it writes, AI access must have been on for it.
 */
async function pinVersion(
  store: QueryStore,
  principal: Principal,
  found: RunnableQuery,
  version: number,
  channel: Channel,
  now: number,
): Promise<Result<RunnableQuery>> {
  const { queryName, current, id, lastVersion } = found.query;
  if (version === current.version) return succeeded({ ...found, pin: { supersededAt: null, retiresAt: null } });
  const pinned = version > lastVersion ? null : await store.queries.readActivated(id, version);
  const of = { queryName, version, current: current.version };
  const named = shareOf(principal) === null ? { of } : {};
  if (pinned === null) return failed({ kind: 'VersionUnknown', ...named });
  const { definition, labels, activation } = pinned.version;
  const retiresAt = activation?.retiresAt ?? null;
  if (retiresAt !== null && retiresAt <= now) return failed({ kind: 'VersionRetired', ...named });
  if (!restrictsAsNow(principal, found.query, pinned.version)) return failed({ kind: 'QueryNotAccessible' });
  const writesForAi = channel === 'mcp' && definition.epilogue !== undefined && !labels.aiAccess;
  const isReached = isInScope(principal, definition.databaseId) && !writesForAi;
  const database = isReached ? await findUsable(store, definition.databaseId) : null;
  if (database === null) return failed({ kind: 'QueryNotAccessible' });
  const query = { ...found.query, current: { ...pinned.version, version, labels: current.labels } };
  return succeeded({ query, database, pin: { supersededAt: pinned.supersededAt, retiresAt } });
}

/**
 * Whether a version restricts the rows of a viewer as the current one does, by the same identity and fixed values. The application that
 * vouches for viewers does not know which versions they name. The issuer of an embed chose its version.
 */
function restrictsAsNow(principal: Principal, { current }: Query, version: QueryVersion): boolean {
  if (viewerBehind(principal) === null || embedBehind(principal) !== null) return true;
  const restrictionsOf = ({ parameters }: QueryDefinition): ReadonlySet<string> =>
    new Set([...parameters.flatMap(({ boundTo }) => boundTo ?? []), ...fixedNames(parameters, fixedValuesOf(principal))]);
  const restrictions = restrictionsOf(version.definition);
  return [...restrictionsOf(current.definition)].every((each) => restrictions.has(each));
}

/** The technical names behind a display name. */
async function namesOf(store: QueryStore, principal: Principal, displayName: string | undefined, channel: Channel) {
  if (displayName === undefined) return {};
  const technicalNames: string[] = [];
  for (const query of await store.queries.byName(displayName))
    if ((await toRunnable(store, principal, query, channel)) !== null) technicalNames.push(query.queryName);
  return technicalNames.length === 0 ? {} : { displayName, technicalNames };
}

/** What a principal lacks to run a query. */
export type RunRefusal = 'Active' | 'permission' | 'database' | 'role' | 'key';

/** Requires `queries.run`, the database in scope, one of the query's roles if it names any, and for a restricted key, an embed or a data link its name. */
export function runRefusal(principal: Principal, query: Query): RunRefusal | null {
  const { definition, labels } = query.current;
  if (query.status !== 'Active') return 'Active';
  if (!has(principal, 'queries.run')) return 'permission';
  if (!isInScope(principal, definition.databaseId)) return 'database';
  if (labels.roleIds.length > 0 && !labels.roleIds.some((role) => principal.roleIds.includes(role))) return 'role';
  return reaches(principal, query.queryName) ? null : 'key';
}

export const mayRun = (principal: Principal, query: Query): boolean => runRefusal(principal, query) === null;

/** AI clients may only use queries that their author opened to them. */
const isOfferedOver = (channel: Channel, query: Query): boolean => channel !== 'mcp' || query.current.labels.aiAccess;

function reaches(principal: Principal, queryName: string): boolean {
  const share = shareOf(principal);
  if (share !== null) return readPin(share.queryName).queryName === queryName;
  return narrowedTo(principal)?.includes(queryName) ?? true;
}

/** The databases whose queries a principal may run. */
export async function listUsableDatabases(
  store: Pick<MetadataStore, 'databases'>,
  principal: Principal,
): Promise<readonly DatabaseRecord[]> {
  if (!has(principal, 'queries.run')) return [];
  return (await store.databases.listAll()).filter((database) => !database.disabled && isInScope(principal, database.id));
}

/** `mayRun` and `isOfferedOver` as a filter of the catalog. */
export function buildRunnableFilter(channel: Channel, principal: Principal, databases: readonly DatabaseRecord[]): QueryFilter {
  const queryNames = narrowedTo(principal);
  return {
    statuses: ['Active'],
    databaseIds: databases.map(({ id }) => id),
    grantedToRoles: principal.roleIds,
    ...(queryNames === null ? {} : { queryNames }),
    ...(channel === 'mcp' ? { aiAccess: true } : {}),
  };
}
