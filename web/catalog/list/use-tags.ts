import { useQuery } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

const READ_QUERIES = 200;
const FRESH_MS = 60_000;

/** Suggested tags: those of the first queries. */
export function useTags(): readonly string[] {
  const { data } = useQuery({
    queryKey: ['queries', 'tags'],
    queryFn: async ({ signal }) => {
      const { items } = await call('GET /api/v1/queries', { query: { limit: READ_QUERIES } }, { signal });
      return [...new Set(items.flatMap(({ tags }) => tags))].toSorted((a, b) => a.localeCompare(b));
    },
    staleTime: FRESH_MS,
  });
  return data ?? [];
}
