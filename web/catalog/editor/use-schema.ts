import { useQuery } from '@tanstack/react-query';
import { call } from '../../app/api.ts';
import type { Schema } from '../../sql/sql-language.ts';

const FRESH_MS = 5 * 60_000;

/** Tables and columns for completion; null while unknown. Failures are ignored, because the editor works without completion. */
export function useSchema(databaseId: string | undefined): Schema | null {
  const { data } = useQuery({
    queryKey: ['databases', databaseId, 'schema'],
    queryFn: ({ signal }) => call('GET /api/v1/databases/{id}/schema', { params: { id: databaseId ?? '' } }, { signal }),
    enabled: databaseId !== undefined,
    staleTime: FRESH_MS,
    retry: false,
  });
  return data ?? null;
}
