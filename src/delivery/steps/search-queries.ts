import { rankQueries } from '../../catalog/query-search.ts';
import type { Query } from '../../catalog/query.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { ListPage, MetadataStore, QueryListRequest } from '../../store/metadata-store.ts';
import { badCursor } from './store-failure.ts';

type Queries = Pick<MetadataStore['queries'], 'list'>;

/** A page of a list of queries: by name, or the best matches first if a text is searched. */
export async function listOrSearch(queries: Queries, request: QueryListRequest): Promise<Result<ListPage<Query>>> {
  const { search, cursor, limit, ...filter } = request;
  if (search === undefined) return succeeded(await queries.list(request));
  const found = rankQueries(search, await allQueries(queries, filter));
  const start = found.findIndex(({ id }) => id === cursor) + 1; // the cursor is the id of the last item
  if (start === 0 && cursor !== undefined) return failed(badCursor);
  const items = found.slice(start, start + limit);
  return succeeded({ items, nextCursor: start + limit < found.length ? (items.at(-1)?.id ?? null) : null });
}

export async function allQueries(queries: Queries, filter: Omit<QueryListRequest, 'limit'>): Promise<readonly Query[]> {
  const all: Query[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: ListPage<Query> = await queries.list({ ...filter, limit: 1000, ...(cursor ? { cursor } : {}) });
    all.push(...page.items);
    cursor = page.nextCursor;
  }
  return all;
}
