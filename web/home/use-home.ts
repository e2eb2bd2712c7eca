import { useQuery } from '@tanstack/react-query';
import { call, type ResponseOf } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { Query } from '../app/wire.ts';
import { countText } from '../components/count-text.ts';
import { hasDrawnChart } from '../components/run/drawn-charts.ts';
import { hasPublished, type Progress } from './first-steps.ts';

const LIST_LIMIT = 50;
export const MINUTE_MS = 60_000;

export type Home = ResponseOf<'GET /api/v1/home'>;
export type LastDay = NonNullable<Home['lastDay']>;
export type HomeQuery = NonNullable<Home['favorites']>[number];
export type LastRun = NonNullable<NonNullable<Home['recent']>[number]['lastRun']>;

/** The contents of the home page that the user may see. Loading them runs no query. */
export const useHome = () =>
  useQuery({
    queryKey: ['home'],
    queryFn: ({ signal }) => call('GET /api/v1/home', {}, { signal }),
    staleTime: 0, // runs and favorites on other pages change it
  });

/** 12 rows in 40 ms; cancelled; failed: query timed out. */
export function runText({ outcome, error, rows }: LastRun, duration: string): string {
  if (outcome === 'ok') return rows === null ? `done in ${duration}` : `${countText(rows, 'row')} in ${duration}`;
  return outcome === 'cancelled' || error === null ? outcome : `${outcome}: ${error.replaceAll('_', ' ')}`;
}

/** Active queries for the first steps. */
export function useActiveQueries(isShown: boolean) {
  const { can, canManageQueries } = useSession();
  return useQuery({
    queryKey: ['queries', 'home'],
    queryFn: ({ signal }) => call('GET /api/v1/queries', { query: { status: 'Active', limit: LIST_LIMIT } }, { signal }),
    enabled: isShown && (can('queries.run') || canManageQueries),
  });
}

/** What the user has already done; undefined while loading. */
export function useProgress(isShown: boolean, queries: readonly Query[], home: Home | undefined): Progress | undefined {
  const { session, can, isExtended } = useSession();
  const { username } = session;
  const isAuditor = isShown && can('audit.view');
  const keys = useQuery({
    queryKey: ['api-keys', 'home'],
    queryFn: ({ signal }) => call('GET /api/v1/account/api-keys', {}, { signal }),
    enabled: isShown,
  });
  const embeds = useQuery({
    queryKey: ['embeds', 'home'],
    queryFn: ({ signal }) => call('GET /api/v1/embeds', {}, { signal }),
    enabled: isShown && isExtended && can('embeds.create'),
  });
  const ownRuns = useQuery({
    queryKey: ['audit', 'ran', username],
    queryFn: ({ signal }) =>
      call('GET /api/v1/audit', { query: { user: username, action: 'query.execute', outcome: 'ok', limit: 1 } }, { signal }),
    enabled: isAuditor,
  });
  const ownCalls = useQuery({
    queryKey: ['audit', 'own', username],
    queryFn: ({ signal }) =>
      call('GET /api/v1/audit', { query: { user: username, outcome: 'ok', limit: LIST_LIMIT } }, { signal }),
    enabled: isAuditor,
  });
  if (keys.isLoading || embeds.isLoading || ownRuns.isLoading || ownCalls.isLoading) return undefined;
  const keyItems = keys.data?.items ?? [];
  const hasEmbedded = embeds.data?.items.some(({ issuer }) => issuer === username) ?? false;
  const ownEntries = ownCalls.data?.items ?? [];
  // the audit trail does not distinguish charts of the web interface from tables
  const hasDrawn = hasEmbedded || hasDrawnChart(session.id) || ownEntries.some(({ channel }) => channel === 'chart');
  return {
    hasRun: (home?.recent?.length ?? 0) > 0 || (ownRuns.data === undefined ? null : ownRuns.data.items.length > 0),
    hasKey: keyItems.length > 0,
    // the last use of a key is recorded with a delay
    hasUsedKey: keyItems.some(({ lastUsedAt }) => lastUsedAt !== null) || ownEntries.some(({ apiKey }) => apiKey !== null),
    hasDrawnChart: hasDrawn ? true : null,
    hasEmbedded,
    // a user who sees more Active queries than were loaded needs no first steps
    hasPublished: hasPublished(username, queries) || (home?.queries?.Active ?? 0) > LIST_LIMIT,
  };
}
