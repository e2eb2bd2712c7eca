import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { forgetAllDrafts } from '../catalog/editor/kept-draft.ts';
import { forgetKept } from '../components/run/kept-result.ts';
import { call } from './api.ts';
import { queryClient } from './query-client.ts';
import type { Permission, Session } from './wire.ts';

/** The current session; null: signed out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  // optional: without it, a signed-out user would cause a 401 in the browser's console
  queryFn: ({ signal }): Promise<Session | null> => call('GET /api/v1/session', { query: { optional: 'true' } }, { signal }),
  staleTime: 60_000,
});

export interface CurrentSession {
  readonly session: Session;
  /** Whether the user has a permission. The service checks every call again. */
  readonly can: (permission: Permission) => boolean;
  readonly canManageQueries: boolean; // sees queries in every state
  readonly isExtended: boolean;
}

/** For pages that require a session. */
export function useSession(): CurrentSession {
  const { data } = useSuspenseQuery(sessionQuery);
  const session = data ?? noSession;
  return {
    session,
    can: (permission) => can(session, permission),
    canManageQueries: can(session, 'queries.author') || can(session, 'queries.publish'),
    isExtended: session.edition === 'extended',
  };
}

/** For parts of pages that do not require a session. */
export const useMaybeSession = (): Session | null => useQuery(sessionQuery).data ?? null;

export const can = (session: Session, permission: Permission): boolean => session.permissions.includes(permission);

export async function signIn(username: string, password: string): Promise<Session> {
  const session = await call('POST /api/v1/session', { body: { username, password } });
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, session);
  return session;
}

/** Clears everything that was loaded, so that the next user does not see it. */
export function forgetSession(): void {
  queryClient.clear();
  forgetKept();
  queryClient.setQueryData(sessionQuery.queryKey, null);
}

/** Navigates first: the pages need a session. */
export async function signOut(leave: () => Promise<void>): Promise<void> {
  await call('DELETE /api/v1/session');
  await leave();
  forgetAllDrafts();
  forgetSession();
}

/** Used between the end of a session and the redirect to the sign-in. */
const noSession: Session = {
  id: '',
  kind: 'person',
  username: '',
  fullName: '',
  email: '',
  roles: [],
  permissions: [],
  databases: [],
  attributes: {},
  expiresAt: null,
  external: false,
  canManageExecutions: false,
  edition: 'extended',
  mcp: false,
  oauth: false,
  version: '',
  baseUrl: '',
  timeZone: 'UTC',
  rowsDefault: 0,
  rowsMax: 0,
};
