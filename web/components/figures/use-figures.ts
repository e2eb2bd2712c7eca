import { useQuery } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../app/api.ts';

export type Figure = ResponseOf<'GET /api/v1/figures'>['figures'][number];

const none: readonly Figure[] = [];

/** Small charts of these queries, or of the user's own and those with a chart. Loading them runs no query. */
export function useFigures(queryNames?: readonly string[]): { readonly figures: readonly Figure[]; readonly isLoading: boolean } {
  const queries = queryNames?.join(',');
  const { data, isLoading } = useQuery({
    queryKey: ['figures', queries ?? null],
    queryFn: ({ signal }) => call('GET /api/v1/figures', { query: { queries } }, { signal }),
    enabled: queries !== '',
    staleTime: 0, // runs on other pages change them
    placeholderData: (before) => before,
  });
  return { figures: data?.figures ?? none, isLoading };
}
