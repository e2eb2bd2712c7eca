import type { Principal } from '../../access/principal.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { type Result, succeeded } from '../../core/errors.ts';
import type { ListPage, MetadataStore, QueryOrder } from '../../store/metadata-store.ts';
import { type QueryListing, visibleRequest } from './query-rights.ts';
import { catalogNames, type QueryView, queryView } from './query-view.ts';

export const querySorts = ['name', 'database', 'owner', 'status', 'lastRun', 'lastUsed'] as const satisfies QueryOrder['by'][];

export interface QueryListFilter extends QueryListing {
  readonly isFavorite?: boolean | undefined;
  readonly isRecent?: boolean | undefined; // used by the actor; sorted by the last use unless `sort` is set
  readonly sort?: { readonly by: (typeof querySorts)[number]; readonly descending: boolean } | undefined;
}

type Store = Pick<MetadataStore, 'catalog' | 'databases' | 'roles' | 'queryUses'>;

/** A page of the queries that the actor sees: by name, the best matches first, or sorted. */
export async function listQueries(
  store: Store,
  actor: Principal,
  { isFavorite, isRecent, sort, ...filter }: QueryListFilter,
): Promise<Result<ListPage<QueryView>>> {
  const visible = await visibleRequest(store, actor, filter);
  if (visible === null) return succeeded({ items: [], nextCursor: null });
  const { userId } = actor;
  const order = sort ?? (isRecent === true ? lastUsedFirst : undefined);
  const { items, nextCursor } = await store.catalog.list({
    ...visible,
    ...definedFields({
      favoriteOf: isFavorite === true ? userId : undefined,
      usedBy: isRecent === true ? userId : undefined,
      order: order && { ...order, userId },
    }),
  });
  const names = await catalogNames(
    store,
    items.map(({ current }) => current),
  );
  const uses = await store.queryUses.readUses(
    userId,
    items.map(({ id }) => id),
  );
  return succeeded({
    items: items.map((query) => queryView(actor, query, query.current, names, uses.get(query.id))),
    nextCursor,
  });
}

const lastUsedFirst = { by: 'lastUsed', descending: true } as const;
