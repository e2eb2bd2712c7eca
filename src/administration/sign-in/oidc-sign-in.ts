import { type Attempts, type ClaimRules, personOf } from '../../access/oidc.ts';
import { failed, failureTable, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { AuditCall, AuditDraft } from '../../pipeline/steps/audit-call.ts';
import { principalOf } from '../../pipeline/steps/authenticate.ts';
import { catchStoreErrors } from '../../pipeline/steps/store-failure.ts';
import { type BoundedWork, createBoundedWork } from '../bounded-work.ts';
import type { AdministrationParts } from '../change.ts';
import type { OidcProvider } from './oidc-provider.ts';
import { provisionOidcUser } from './oidc-user.ts';
import { startSession } from './sign-in.ts';

export interface OidcSignInParts extends AdministrationParts {
  readonly name: string; // shown on the button
  readonly issuer: string;
  readonly provider: OidcProvider;
  readonly rules: ClaimRules;
  readonly attempts: Attempts;
  readonly auditCall: AuditCall;
}

/** Sign-in through an OpenID Connect provider. */
export interface OidcSignIn {
  readonly name: string;
  /** The URL to redirect the browser to, and the sealed attempt for its cookie. `next` is a path of this service. */
  begin(call: Call, wanted: { next: string; redirectUri: string }): Promise<Result<{ url: string; attempt: string }>>;
  /** Starts the same session as a password sign-in, if the callback belongs to an attempt of this browser. */
  finish(call: Call, callback: Callback): Promise<Result<{ sessionId: string; next: string }>>;
}

export interface Callback {
  readonly callbackUrl: URL;
  readonly attempt: string | undefined;
  readonly previous: string | undefined; // session id
}

/** Callbacks are unauthenticated and can be forged: bound how many are verified with the provider at a time. */
const CHECKED_AT_ONCE = 16;
const WAITING = 64;

export function createOidcSignIn(signInParts: OidcSignInParts): OidcSignIn {
  const parts = { ...signInParts, asked: createBoundedWork(CHECKED_AT_ONCE, WAITING) };
  const { name, issuer, provider, attempts, auditCall, now } = parts;
  return {
    name,
    async begin(call, { next, redirectUri }) {
      const asked = await provider.question(redirectUri);
      if (asked.ok) {
        const attempt = attempts.seal({ ...asked.value.checks, next, at: now() });
        return succeeded({ url: asked.value.url, attempt });
      }
      return auditCall(call, 'session.sign-in', async (draft) => {
        draft.parameters = { provider: issuer, problem: failureTable[asked.failure.kind].code };
        return asked;
      });
    },
    finish: (call, callback) =>
      auditCall(call, 'session.sign-in', async (draft) => {
        draft.status = 302;
        draft.parameters = { provider: issuer };
        const signedIn = await catchStoreErrors(() => finish(parts, callback, draft));
        if (!signedIn.ok) draft.parameters = { ...draft.parameters, problem: failureTable[signedIn.failure.kind].code };
        return signedIn;
      }),
  };
}

async function finish(
  { asked, provider, rules, attempts, store, now }: OidcSignInParts & { asked: BoundedWork },
  { callbackUrl, attempt: sealed, previous }: Callback,
  draft: AuditDraft,
): Promise<Result<{ sessionId: string; next: string }>> {
  const attempt = sealed === undefined ? null : attempts.open(sealed, now());
  if (attempt === null || callbackUrl.searchParams.get('state') !== attempt.state) return failed({ kind: 'SignInExpired' });
  const identity = await asked(() => provider.identity(callbackUrl, attempt));
  if (!identity.ok) return identity;
  const person = personOf(identity.value.externalId, identity.value.claims, rules);
  draft.triedUser = person.username;

  const { user, note } = await store.transaction((repositories) => provisionOidcUser(repositories, person, now()));
  draft.parameters = { ...draft.parameters, ...note };
  if (!user.ok) return user;
  const standing = await store.principals.byUserId(user.value.id);
  if (standing === null) return failed({ kind: 'CredentialInvalid' }); // deleted concurrently
  const principal = principalOf(standing, { kind: 'basic' }, now());
  if (!principal.ok) return principal;
  draft.principal = principal.value;
  if (standing.user.roleIds.length === 0) return failed({ kind: 'NoRole' });
  const sessionId = await startSession(store, standing.user, previous, now());
  return succeeded({ sessionId, next: attempt.next });
}
