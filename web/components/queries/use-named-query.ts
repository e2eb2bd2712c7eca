import { useQuery } from '@tanstack/react-query';
import { call } from '../../app/api.ts';
import { queryClient } from '../../app/query-client.ts';
import type { Query } from '../../app/wire.ts';

const keyOf = (queryName: string) => ['queries', 'named', queryName] as const;

/** Finds the query with a technical name. `query` is null while loading and if there is none (`isMissing`). */
export function useNamedQuery(queryName: string | undefined) {
  const wanted = queryName ?? '';
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(wanted),
    queryFn: async ({ signal }) => {
      const { items } = await call('GET /api/v1/queries', { query: { search: wanted, limit: 10 } }, { signal });
      return items.find((query) => query.queryName === wanted) ?? null;
    },
    enabled: wanted !== '',
  });
  return { query: data ?? null, error, isMissing: data === null, retry: () => void refetch() };
}

/** Caches a query that was chosen from a list. */
export const rememberNamedQuery = (query: Query): void => {
  queryClient.setQueryData(keyOf(query.queryName), query);
};
