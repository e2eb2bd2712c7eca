import { hashSecret } from '../../access/hash-secret.ts';
import { generateSessionId, SESSION_IDLE_MS, MAX_SESSION_MS } from '../../access/session.ts';
import type { User } from '../../access/user.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { AuditCall } from '../../pipeline/steps/audit-call.ts';
import type { Authenticate } from '../../pipeline/steps/authenticate.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import type { AdministrationParts } from '../change.ts';

const MAX_SESSIONS = 50; // per user; the least recently used are ended

export interface SignInParts extends AdministrationParts {
  readonly authenticate: Authenticate;
  readonly auditCall: AuditCall;
}

export type SignIn = ReturnType<typeof createSignIn>;

export function createSignIn({ store, authenticate, auditCall, now }: SignInParts) {
  return {
    /** Always starts a new session and ends the browser's previous one. */
    signIn: (call: Call, { username, password }: { username: string; password: string }, previous: string | undefined) =>
      auditCall(call, 'session.sign-in', async (draft) => {
        draft.triedUser = username.slice(0, 100);
        const principal = await authenticate({ kind: 'basic', username, password }, call.address);
        if (!principal.ok) return principal;
        draft.principal = principal.value;
        const standing = await store.principals.byUserId(principal.value.userId);
        if (standing === null) return failed({ kind: 'CredentialInvalid' });
        const sessionId = await startSession(store, standing.user, previous, now());
        return succeeded({ principal: principal.value, sessionId });
      }),

    signOut: (call: Call, sessionId: string): Promise<Result<null>> =>
      auditCall(call, 'session.sign-out', async (draft) => {
        draft.status = 204;
        const principal = await authenticate({ kind: 'session', sessionId }, call.address);
        if (principal.ok) draft.principal = principal.value;
        await store.sessions.delete(hashSecret(sessionId));
        return succeeded(null);
      }),

    sweep: (): Promise<void> => store.sessions.deleteUnusedSince(now() - SESSION_IDLE_MS, now() - MAX_SESSION_MS),
  };
}

/** For any sign-in method: starts a session with a new id and ends the browser's previous one. */
export async function startSession(
  { sessions }: Pick<MetadataStore, 'sessions'>,
  { id: userId, credentialVersion }: User,
  previous: string | undefined,
  now: number,
): Promise<string> {
  if (previous !== undefined) await sessions.delete(hashSecret(previous));
  const { id, hash } = generateSessionId();
  await sessions.insert({ hash, userId, credentialVersion, createdAt: now, lastUsedAt: now });
  await sessions.deleteAllBut(userId, MAX_SESSIONS);
  return id;
}
