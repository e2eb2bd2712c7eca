import type { Principal } from '../../access/principal.ts';
import { rankQueries } from '../../catalog/query-search.ts';
import { type Query, queryStatuses } from '../../catalog/query.ts';
import { allQueries, listOrSearch } from '../../delivery/steps/search-queries.ts';
import { badCursor } from '../../delivery/steps/store-failure.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { ListPage, QueryUse, Repositories } from '../../store/metadata-store.ts';
import { type QueryFilter, visibleRequest } from './query-rights.ts';
import { catalogNames, type QueryView, queryView } from './query-view.ts';

export const querySorts = ['name', 'database', 'owner', 'status', 'lastRun', 'lastUsed'] as const;
export type QuerySort = (typeof querySorts)[number];

export interface QueryListFilter extends QueryFilter {
  readonly isFavorite?: boolean | undefined;
  readonly isRecent?: boolean | undefined; // used by the actor; sorted by the last use unless `sort` is set
  readonly sort?: { readonly by: QuerySort; readonly descending: boolean } | undefined;
}

type Store = Pick<Repositories, 'queries' | 'databases' | 'roles' | 'queryUses'>;

/** A page of the queries that the actor sees: by name, the best matches first, or sorted. */
export async function listQueries(
  store: Store,
  actor: Principal,
  { isFavorite, isRecent, sort, ...filter }: QueryListFilter,
): Promise<Result<ListPage<QueryView>>> {
  const visible = await visibleRequest(store, actor, filter);
  if (visible === null) return succeeded({ items: [], nextCursor: null });
  const { userId } = actor;
  const request = {
    ...visible,
    ...(isFavorite === true ? { favoriteOf: userId } : {}),
    ...(isRecent === true ? { usedBy: userId } : {}),
  };
  const order = sort ?? (isRecent === true ? lastUsedFirst : undefined);
  if (order === undefined) {
    const found = await listOrSearch(store.queries, request);
    return found.ok ? succeeded(await pageView(store, actor, found.value)) : found;
  }
  const { search, cursor, limit, ...rest } = request;
  const all = await allQueries(store.queries, rest);
  const found = search === undefined ? all : rankQueries(search, all);
  const names = await catalogNames(
    store,
    found.map(({ current }) => current),
  );
  const uses = await store.queryUses.of(userId);
  const sorted = sortQueries(found, order, (query) => sortValue(order.by, query, names.databases, uses.get(query.id)));
  const start = sorted.findIndex(({ id }) => id === cursor) + 1; // the cursor is the id of the last item
  if (start === 0 && cursor !== undefined) return failed(badCursor);
  const items = sorted.slice(start, start + limit);
  const nextCursor = start + limit < sorted.length ? (items.at(-1)?.id ?? null) : null;
  return succeeded(await pageView(store, actor, { items, nextCursor }));
}

const lastUsedFirst = { by: 'lastUsed', descending: true } as const;

async function pageView(store: Store, actor: Principal, { items, nextCursor }: ListPage<Query>): Promise<ListPage<QueryView>> {
  const names = await catalogNames(
    store,
    items.map(({ current }) => current),
  );
  const uses = await store.queryUses.of(
    actor.userId,
    items.map(({ id }) => id),
  );
  return { items: items.map((query) => queryView(actor, query, query.current, names, uses.get(query.id))), nextCursor };
}

type SortValue = string | number | null;

function sortValue(by: QuerySort, query: Query, databases: ReadonlyMap<string, string>, use: QueryUse | undefined): SortValue {
  switch (by) {
    case 'name':
      return query.current.definition.name;
    case 'database':
      return databases.get(query.current.definition.databaseId) ?? null;
    case 'owner':
      return query.createdBy;
    case 'status':
      return queryStatuses.indexOf(query.status);
    case 'lastRun':
      return use?.lastRunAt ?? null;
    case 'lastUsed':
      return use?.lastUsedAt ?? null;
  }
}

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/** Queries without a value come last in both directions; equal ones are ordered by name. */
function sortQueries(
  queries: readonly Query[],
  { descending }: { readonly descending: boolean },
  valueOf: (query: Query) => SortValue,
): readonly Query[] {
  const name = ({ current }: Query): string => current.definition.name;
  return queries
    .map((query) => ({ query, value: valueOf(query) }))
    .toSorted((a, b) => {
      const order = a.value === null || b.value === null ? nullsLast(a.value, b.value) : compare(a.value, b.value, descending);
      return order || collator.compare(name(a.query), name(b.query)) || (a.query.id < b.query.id ? -1 : 1);
    })
    .map(({ query }) => query);
}

const nullsLast = (a: SortValue, b: SortValue): number => Number(a === null) - Number(b === null);

function compare(a: string | number, b: string | number, descending: boolean): number {
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return descending ? -order : order;
}
