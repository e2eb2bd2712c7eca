import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../app/api.ts';
import { useSession } from '../../app/session.tsx';
import type { Query } from '../../app/wire.ts';

const MAX_OFFERED = 100;

/** Active queries that the user, and with `isForAi` an AI assistant, may run: the first ones by name, or the best matches of a search by the service. */
export function useRunnableQueries(
  typed = '',
  isForAi = false,
): { readonly queries: readonly Query[]; readonly isFetching: boolean; readonly hasMore: boolean } {
  const { can } = useSession();
  const [search] = useDebouncedValue(typed.trim(), 200);
  const { data, isFetching } = useQuery({
    queryKey: ['queries', 'runnable', search, isForAi],
    queryFn: ({ signal }) =>
      call(
        'GET /api/v1/queries',
        { query: { status: 'Active', search, limit: MAX_OFFERED, ...(isForAi ? { aiAccess: 'true' } : {}) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    enabled: can('queries.run'),
  });
  const queries = useMemo(() => (data?.items ?? []).filter(({ canRun }) => canRun), [data]);
  return { queries, isFetching, hasMore: data?.nextCursor != null };
}
