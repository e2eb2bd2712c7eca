import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { AuditEntry, Query } from '../app/wire.ts';
import type { Progress } from './first-steps.ts';
import { hasPublished } from './own-queries.ts';

export const MAX_READ = 1000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The first page of the queries that the user may see. */
export function useCatalog() {
  const { can, canManageQueries } = useSession();
  return useQuery({
    queryKey: ['queries', 'home'],
    queryFn: ({ signal }) => call('GET /api/v1/queries', { query: { limit: MAX_READ } }, { signal }),
    enabled: can('queries.run') || canManageQueries,
  });
}

/** The first page of the audit trail of the last 24 hours, for users who may read it. */
export function useLastDay() {
  const { can } = useSession();
  // rounded to minutes, so that a quick return uses the cache
  const from = useMemo(() => new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - DAY_MS).toISOString(), []);
  const query = { from, limit: MAX_READ };
  const { data, error } = useQuery({
    queryKey: ['audit', 'last day', from],
    queryFn: ({ signal }) => call('GET /api/v1/audit', { query }, { signal }),
    enabled: can('audit.view'),
  });
  return { data, error, query };
}

/** What the user has already done; undefined while loading. */
export function useProgress(queries: readonly Query[], entries: readonly AuditEntry[]): Progress | undefined {
  const { session, can, isExtended } = useSession();
  const { username } = session;
  const keys = useQuery({
    queryKey: ['api-keys', 'home'],
    queryFn: ({ signal }) => call('GET /api/v1/account/api-keys', {}, { signal }),
  });
  const embeds = useQuery({
    queryKey: ['embeds', 'home'],
    queryFn: ({ signal }) => call('GET /api/v1/embeds', {}, { signal }),
    enabled: isExtended && can('embeds.create'),
  });
  const ran = useQuery({
    queryKey: ['audit', 'ran', username],
    queryFn: ({ signal }) =>
      call('GET /api/v1/audit', { query: { user: username, search: 'query.execute', outcome: 'ok', limit: 1 } }, { signal }),
    enabled: can('audit.view'),
  });
  if (keys.isLoading || embeds.isLoading || ran.isLoading) return undefined;
  const ofKeys = keys.data?.items ?? [];
  const embedded = embeds.data?.items.some(({ issuer }) => issuer === username) ?? false;
  const mine = entries.filter(({ user, outcome }) => user === username && outcome === 'ok');
  const drew = embedded || mine.some(({ channel }) => channel === 'chart');
  return {
    ran: ran.data === undefined ? null : ran.data.items.length > 0,
    hasKey: ofKeys.length > 0,
    // the last use of a key is recorded with a delay
    usedKey: ofKeys.some(({ lastUsedAt }) => lastUsedAt !== null) || mine.some(({ apiKey }) => apiKey !== null),
    drew: drew ? true : null,
    embedded,
    published: hasPublished(username, queries),
  };
}
