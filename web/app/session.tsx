import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { call } from './api.ts';
import { queryClient } from './query-client.ts';
import type { Permission, Session } from './wire.ts';

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  // optional: that nobody is there yet is no error, and the browser's console is not to call it one
  queryFn: ({ signal }): Promise<Session | null> => call('GET /api/v1/session', { query: { optional: 'true' } }, { signal }),
  staleTime: 60_000,
});

export interface CurrentSession {
  readonly session: Session;
  /** Whether one of the roles permits it. The service decides again at every call. */
  readonly can: (permission: Permission) => boolean;
  readonly canManageQueries: boolean; // sees queries in every state
  readonly isExtended: boolean;
}

/** For pages behind the sign-in, where there is always a session. */
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

/** For what is drawn on every page, signed in or not. */
export const useMaybeSession = (): Session | null => useQuery(sessionQuery).data ?? null;

export const can = (session: Session, permission: Permission): boolean => session.permissions.includes(permission);

export async function signIn(username: string, password: string): Promise<Session> {
  const session = await call('POST /api/v1/session', { body: { username, password } });
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, session);
  return session;
}

/** What another person's session had read must not be seen by the next one. */
export function forgetSession(): void {
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, null);
}

/** Leaves the pages first: they are not to find themselves without a session. */
export async function signOut(leave: () => Promise<void>): Promise<void> {
  await call('DELETE /api/v1/session');
  await leave();
  forgetSession();
}

/** Between the end of a session and the page that says so. */
const noSession: Session = {
  id: '',
  username: '',
  fullName: '',
  email: '',
  roles: [],
  permissions: [],
  databases: [],
  expiresAt: null,
  external: false,
  edition: 'extended',
  mcp: false,
  version: '',
};
