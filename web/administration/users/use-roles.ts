import { useQuery } from '@tanstack/react-query';
import { call } from '../../app/api.ts';
import type { Role } from '../../app/wire.ts';

const MAX_ROLES = 1000;
const none: readonly Role[] = [];

/** Every role, by name. */
export function useRoles(): readonly Role[] {
  const { data } = useQuery({
    queryKey: ['roles', 'names'],
    queryFn: ({ signal }) => call('GET /api/v1/roles', { query: { limit: MAX_ROLES } }, { signal }),
  });
  return data?.items ?? none;
}
