import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../app/api.ts';
import { useSession } from '../../app/session.tsx';
import type { Query } from '../../app/wire.ts';

const MAX_OFFERED = 1000;

/** The Active queries that the user may run, up to a limit. */
export function useRunnableQueries(): { readonly queries: readonly Query[]; readonly isLoading: boolean } {
  const { can } = useSession();
  const { data, isLoading } = useQuery({
    queryKey: ['queries', 'runnable', 'all'],
    queryFn: ({ signal }) => call('GET /api/v1/queries', { query: { status: 'Active', limit: MAX_OFFERED } }, { signal }),
    enabled: can('queries.run'),
  });
  const queries = useMemo(() => (data?.items ?? []).filter(({ canRun }) => canRun), [data]);
  return { queries, isLoading };
}
