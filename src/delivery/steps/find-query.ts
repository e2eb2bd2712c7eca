import type { Principal } from '../../access/principal.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import { closestName } from '../../catalog/closest-name.ts';
import type { Query } from '../../catalog/query.ts';
import { type Failure, failed, fieldInvalid, type Result, succeeded } from '../../errors.ts';
import type { DatabaseRecord, MetadataStore } from '../../store/metadata-store.ts';
import { isOfferedOver, mayRun } from './authorise.ts';
import { runnableRequest, usableDatabases } from './runnable-queries.ts';

type Store = Pick<MetadataStore, 'queries' | 'catalog' | 'databases'>;

/**
 * The Active query with this name and its database; null if the principal may not run it, for any reason. Case counts only if
 * there is an exact match.
 */
export async function findRunnable(store: Store, principal: Principal, queryName: string): Promise<RunnableQuery | null> {
  const query = (await store.queries.byQueryName(queryName)) ?? (await store.catalog.byQueryNameIgnoringCase(queryName));
  return await runnable(store, principal, query);
}

/** The same, for callers who may have sent a display name: they learn the technical names of the queries that they may run. */
export async function findNamed(store: Store, principal: Principal, queryName: string): Promise<Result<RunnableQuery>> {
  const found = await findRunnable(store, principal, queryName);
  if (found !== null) return succeeded(found);
  const technicalNames: string[] = [];
  for (const query of await store.queries.byName(queryName))
    if ((await runnable(store, principal, query)) !== null) technicalNames.push(query.queryName);
  return failed({
    kind: 'QueryNotAccessible',
    ...(technicalNames.length === 0 ? {} : { displayName: queryName, technicalNames }),
  });
}

/** A query by its technical name or its id; each may be in the place of the other, because models mix them up. */
export interface QueryReference {
  readonly queryName: string | undefined;
  readonly id: string | undefined;
}

/** By both if they agree. */
export async function findReferenced(
  store: Store,
  principal: Principal,
  { queryName, id }: QueryReference,
  channel: Channel,
): Promise<Result<RunnableQuery>> {
  const find = async (either: string | undefined) => {
    if (either === undefined) return undefined;
    const byName = await runnable(store, principal, await store.queries.byQueryName(either));
    const found =
      byName ?? (await findRunnableById(store, principal, either, channel)) ?? (await findRunnable(store, principal, either));
    return found !== null && isOfferedOver(channel, found.query) ? found : null;
  };
  const byName = await find(queryName);
  const byId = id === queryName ? byName : await find(id);
  const found = byName ?? byId ?? null;
  if (found !== null && byName !== undefined && byId !== undefined && byName?.query.id !== byId?.query.id)
    return failed(fieldInvalid('queryName', 'It names another query than queryId does. Send one of the two.'));
  return found === null ? failed(await notAccessible(store, principal, queryName ?? id ?? '', channel)) : succeeded(found);
}

const MOST_CLOSEST = 3;
const MOST_COMPARED = 50;

/** Models mistype names: the closest ones among those that the caller may see help them on. */
async function notAccessible(store: Store, principal: Principal, sent: string, channel: Channel): Promise<Failure> {
  const databases = await usableDatabases(store, principal);
  const request = { ...runnableRequest(channel, principal, databases), search: sent, limit: MOST_COMPARED };
  const names = await store.catalog.names(request);
  const known = [...new Set([closestName(sent, names), ...names].filter((name) => name !== undefined))];
  return { kind: 'QueryNotAccessible', closest: known.slice(0, MOST_CLOSEST) };
}

/** The same by its id, if it is offered over the channel. */
export async function findRunnableById(
  store: Store,
  principal: Principal,
  id: string,
  channel: Channel,
): Promise<RunnableQuery | null> {
  const found = await runnable(store, principal, await store.queries.get(id));
  return found !== null && isOfferedOver(channel, found.query) ? found : null;
}

export interface RunnableQuery {
  readonly query: Query;
  readonly database: DatabaseRecord;
}

async function runnable(store: Store, principal: Principal, query: Query | null): Promise<RunnableQuery | null> {
  if (query === null || !mayRun(principal, query)) return null;
  const database = await store.databases.get(query.current.definition.databaseId);
  return database === null || database.disabled || database.deletedAt !== null ? null : { query, database };
}
