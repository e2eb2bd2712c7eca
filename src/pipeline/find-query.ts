import { has, isInScope, type Principal, queriesOfKey } from '../access/principal.ts';
import type { Channel } from '../audit/audit-entry.ts';
import type { Query } from '../catalog/query.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../core/errors.ts';
import type { DatabaseRecord, MetadataStore, QueryFilter } from '../store/metadata-store.ts';

export type QueryStore = Pick<MetadataStore, 'queries' | 'catalog' | 'databases'>;

/** A query by its technical name, its id, or both. */
export interface QueryReference {
  readonly queryName?: string | undefined;
  readonly id?: string | undefined;
}

export interface RunnableQuery {
  readonly query: Query;
  readonly database: DatabaseRecord;
}

/**
 * The Active query that this principal may run over the channel, or the one failure that says nothing about others. A caller who sent a
 * display name learns the technical names of the queries that they may run.
 */
export async function findQuery(
  store: QueryStore,
  principal: Principal,
  { queryName, id }: QueryReference,
  channel: Channel,
): Promise<Result<RunnableQuery>> {
  const byId = id === undefined ? undefined : await findById(store, principal, id, channel);
  const byName = queryName === undefined ? undefined : await findByName(store, principal, queryName, channel);
  const found = byName ?? byId ?? null;
  if (found === null) return failed({ kind: 'QueryNotAccessible', ...(await namesOf(store, principal, queryName, channel)) });
  if (byName !== undefined && byId !== undefined && byName?.query.id !== byId?.query.id)
    return failed(fieldInvalid('queryName', 'It names another query than queryId does. Send one of the two.'));
  return succeeded(found);
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
  const database = await store.databases.get(query.current.definition.databaseId);
  return database === null || database.disabled || database.deletedAt !== null ? null : { query, database };
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

/** Requires `queries.run`, the database in scope, one of the query's roles if it names any, and for a restricted key or an embed its name. */
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
  const { authentication } = principal;
  if (authentication.kind === 'embed') return authentication.embed.queryName === queryName;
  return authentication.kind !== 'key' || authentication.queries === null || authentication.queries.includes(queryName);
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
  const queryNames = queriesOfKey(principal);
  return {
    statuses: ['Active'],
    databaseIds: databases.map(({ id }) => id),
    grantedToRoles: principal.roleIds,
    ...(queryNames === null ? {} : { queryNames }),
    ...(channel === 'mcp' ? { aiAccess: true } : {}),
  };
}
