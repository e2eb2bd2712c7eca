import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type * as library from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import { type Failure, failureTable, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { AuditCall, AuditDraft } from '../../pipeline/steps/audit-call.ts';
import { principalOf } from '../../pipeline/steps/authenticate.ts';
import type { MetadataStore, OAuthClient, OAuthGrant, Standing } from '../../store/metadata-store.ts';
import { JWT_BEARER } from './client-rules.ts';
import { assertionInvalid, type IdentityAssertion, type ReadAssertion } from './identity-assertion.ts';
import { recordOnce } from './provider-adapter.ts';

export interface ManagedAccess {
  readonly readAssertion: ReadAssertion;
  readonly auditCall: AuditCall;
}

export interface ManagedAccessParts extends ManagedAccess {
  readonly store: MetadataStore;
  readonly now: () => number;
  readonly resources: readonly [string, ...string[]];
  readonly scope: string;
  readonly tokenSeconds: number;
  readonly callOf: (request: IncomingMessage) => Call | undefined;
}

interface Presented {
  readonly assertion: string;
  readonly resource: readonly string[];
  readonly scopes: readonly string[];
  readonly clientId: string;
  readonly audience: string;
}

/** Lets registered applications exchange identity assertions of the company's provider for access tokens, without asking the person. */
export function acceptAssertions(provider: Provider, { errors }: typeof library, parts: ManagedAccessParts): void {
  const { resources, scope, auditCall, callOf } = parts;
  const gateway = { scope, audience: resources[0], accessTokenFormat: 'opaque' } as const;
  provider.registerGrantType<{ assertion?: string }>(
    JWT_BEARER,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const call = callOf(ctx.req);
      if (params.assertion === undefined || params.assertion === '' || call === undefined)
        throw new errors.InvalidRequest("missing required parameter 'assertion'");
      const resource = [params.resource ?? []].flat();
      if (!resource.every((each) => resources.includes(each))) throw new errors.InvalidTarget();
      const scopes = (params.scope ?? scope).split(' ');
      if (!scopes.includes(scope)) throw new errors.InvalidScope('requested scope is not allowed', params.scope ?? '');
      const presented = { assertion: params.assertion, resource, scopes, clientId: client.clientId, audience: provider.issuer };
      const grant = await auditCall(call, 'application.assert', (draft) => grantFor(parts, presented, draft));
      if (!grant.ok) throw errorOf(errors, grant.failure);
      const { id: grantId, userId: accountId } = grant.value;
      ctx.oidc.entity('Grant', await provider.Grant.find(grantId));
      const resourceServer = new provider.ResourceServer(resources[0], gateway);
      const token = new provider.AccessToken({ client, accountId, grantId, gty: JWT_BEARER, resourceServer, scope });
      ctx.oidc.entity('AccessToken', token);
      const value = await token.save();
      ctx.body = { access_token: value, expires_in: token.expiration, scope, token_type: token.tokenType };
    },
    ['assertion', 'scope', 'resource'],
    'resource',
  );
}

async function grantFor(parts: ManagedAccessParts, presented: Presented, draft: AuditDraft): Promise<Result<OAuthGrant>> {
  const { store, readAssertion, resources, scope, now } = parts;
  const { assertion, clientId, audience } = presented;
  const client = await store.oauth.getClient(clientId);
  if (client?.managed == null) return assertionInvalid('the application may not present one');
  draft.parameters = { application: client.name, clientId };
  const read = await readAssertion(assertion, { audience, clientId, resources });
  if (!read.ok) return noteProblem(draft, read);
  const { externalId, scopes, jti } = read.value;
  draft.parameters = { ...draft.parameters, jti: jti.slice(0, 200) };
  if (scopes !== null && !scopes.includes(scope))
    return noteProblem(draft, assertionInvalid(`its scope does not include ${scope}`));
  const user = await store.users.byExternalId(externalId);
  const standing = user === null ? null : await store.principals.byUserId(user.id);
  if (standing === null) return noteProblem(draft, assertionInvalid('the person has not signed in to Sluice'));
  const authentication = { kind: 'grant', grantId: '', application: client.name, queries: null, expiresAt: now() } as const;
  const principal = principalOf(standing, authentication, now());
  if (!principal.ok) return noteProblem(draft, principal);
  draft.principal = principal.value;
  if (!(await isFirstUse(parts, read.value))) return noteProblem(draft, assertionInvalid('it was used before'));
  return succeeded(await renewGrant(parts, client, standing));
}

function noteProblem<F extends { readonly failure: Failure }>(draft: AuditDraft, refused: F): F {
  const { failure } = refused;
  const problem = failure.kind === 'IdentityInvalid' ? textOf(failure.cause) : failureTable[failure.kind].code;
  draft.parameters = { ...draft.parameters, problem };
  return refused;
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause)).slice(0, 300);

/** Over all processes. The assertion is remembered until it expires. */
const isFirstUse = ({ store }: ManagedAccessParts, { externalId, jti, expiresAt }: IdentityAssertion): Promise<boolean> =>
  recordOnce(store, 'Assertion', `${externalId.slice(0, externalId.indexOf('#'))} ${jti}`, expiresAt);

/** One grant for a person and an application, which lasts as long as its newest token. */
async function renewGrant(
  { store: { oauth }, now, tokenSeconds }: ManagedAccessParts,
  { id: clientId, name, managed }: OAuthClient,
  { user }: Standing,
): Promise<OAuthGrant> {
  const queries = managed === '*' ? null : managed;
  const expiresAt = Math.min(now() + tokenSeconds * 1000, user.expiresAt ?? Number.POSITIVE_INFINITY);
  const known = (await oauth.listGrants(user.id, now())).find((each) => each.isManaged && each.clientId === clientId);
  if (known !== undefined && (await oauth.prolongGrant(known.id, expiresAt))) return known;
  const grant: OAuthGrant = {
    id: randomUUID(),
    userId: user.id,
    clientId,
    application: name,
    queries,
    isManaged: true,
    createdAt: now(),
    lastUsedAt: null,
    expiresAt,
  };
  await oauth.insertGrant(grant);
  return grant;
}

function errorOf(errors: typeof library.errors, failure: Failure): Error {
  switch (failure.kind) {
    case 'IdentityInvalid':
      return new errors.InvalidGrant(textOf(failure.cause));
    case 'CredentialRevoked':
    case 'CredentialExpired':
      return new errors.InvalidGrant('The account of this person is disabled or has expired');
    case 'ProviderUnavailable':
    case 'StoreUnavailable':
      return Object.assign(new errors.TemporarilyUnavailable('Try again later'), { status: 503, statusCode: 503 });
    default:
      return 'cause' in failure && failure.cause instanceof Error ? failure.cause : new Error(failure.kind);
  }
}
