import { queryOptions } from '@tanstack/react-query';
import { call } from './api.ts';

const MAX_READ = 1000; // the service returns no more at once

/** The databases that the user may see, for choices. */
export const allDatabases = queryOptions({
  queryKey: ['databases', 'names'],
  queryFn: ({ signal }) => call('GET /api/v1/databases', { query: { limit: MAX_READ } }, { signal }),
});

/** Every role, for choices. */
export const allRoles = queryOptions({
  queryKey: ['roles', 'names'],
  queryFn: ({ signal }) => call('GET /api/v1/roles', { query: { limit: MAX_READ } }, { signal }),
});
