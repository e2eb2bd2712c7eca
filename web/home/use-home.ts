import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, type ResponseOf } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { AuditEntry, Query } from '../app/wire.ts';
import type { Progress } from './first-steps.ts';
import { hasPublished } from './own-queries.ts';

export const MAX_READ = 1000;
const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

export type Home = ResponseOf<'GET /api/v1/home'>;
export type HomeQuery = NonNullable<Home['favorites']>[number];
export type LastRun = NonNullable<NonNullable<Home['recent']>[number]['lastRun']>;

/** What concerns the user, as far as they may see it. Runs no query. */
export const useHome = () =>
  useQuery({
    queryKey: ['home'],
    queryFn: ({ signal }) => call('GET /api/v1/home', {}, { signal }),
    staleTime: 0, // runs and favorites of other pages change it
  });

/** 12 rows in 40 ms; cancelled; failed: query timed out. */
export function runText({ outcome, error, rows }: LastRun, duration: string): string {
  if (outcome === 'ok') return rows === null ? `done in ${duration}` : `${rowsText(rows)} in ${duration}`;
  return outcome === 'cancelled' || error === null ? outcome : `${outcome}: ${error.replaceAll('_', ' ')}`;
}

const rowsText = (rows: number): string => (rows === 1 ? '1 row' : `${rows.toLocaleString('en')} rows`);

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
export function useProgress(queries: readonly Query[], entries: readonly AuditEntry[], hasRun: boolean): Progress | undefined {
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
    ran: hasRun || (ran.data === undefined ? null : ran.data.items.length > 0),
    hasKey: ofKeys.length > 0,
    // the last use of a key is recorded with a delay
    usedKey: ofKeys.some(({ lastUsedAt }) => lastUsedAt !== null) || mine.some(({ apiKey }) => apiKey !== null),
    drew: drew ? true : null,
    embedded,
    published: hasPublished(username, queries),
  };
}
