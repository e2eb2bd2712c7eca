import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from 'oidc-provider';
import type { Principal } from '../../access/principal.ts';
import { readRedirect, type RedirectTarget } from '../../access/redirect-uri.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { queryProblems } from '../api-keys.ts';
import type { AdministrationParts, AuditNote } from '../change.ts';
import { identityOf, plainName } from './application-identity.ts';
import { type AuthorizationServer, SCOPE } from './authorization-server.ts';
import { recordOnce } from './provider-adapter.ts';

export interface ConsentParts extends AdministrationParts {
  readonly server: Pick<AuthorizationServer, 'load'>;
}

/** The request of the consent page; its cookies belong to the authorization server. */
export interface ConsentRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface ConsentChoice {
  readonly queries?: readonly string[] | null | undefined; // null: all
  readonly days?: number | undefined;
}

export type Consent = ReturnType<typeof createConsent>;

export const DEFAULT_DAYS = 30;
export const MAX_DAYS = 365;
const MAX_GRANTS = 200; // of a user
const DAY_MS = 86_400_000;

/** Shows a user the request of an application for access, and records whether they allow it. */
export function createConsent({ server, store, now }: ConsentParts) {
  /** Finds the request by the cookie of the browser that began the sign-in. */
  const find = async (actor: Principal, id: string, { request, response }: ConsentRequest) => {
    if (actor.authentication.kind !== 'session') return failed({ kind: 'CredentialNotSuitable' });
    const { provider, library } = await server.load();
    try {
      const interaction = await provider.interactionDetails(request, response);
      const client = await provider.Client.find(String(interaction.params.client_id));
      const isAnswered = interaction.result !== undefined;
      if (interaction.uid !== id || client === undefined || isAnswered) return noRequest;
      return succeeded({ provider, interaction, client });
    } catch (error) {
      if (error instanceof library.errors.OIDCProviderError) return noRequest;
      throw error;
    }
  };
  /** Returns false if the request was decided already, for example by a double click. */
  const recordDecision = (id: string) => recordOnce(store, 'Decision', id, now() + DAY_MS); // later than any request expires
  return {
    async get(actor: Principal, id: string, http: ConsentRequest) {
      const found = await find(actor, id, http);
      if (!found.ok) return found;
      const { client, interaction } = found.value;
      const application = applicationView(client);
      // unused dynamic registrations are removed when there are too many; this one is in use
      if (application.source === 'dynamic') await store.oauth.touchClient(client.clientId, now());
      return succeeded({
        id,
        application,
        redirect: targetOf(String(interaction.params.redirect_uri)),
        scope: SCOPE,
        user: actor.username,
        defaultDays: DEFAULT_DAYS,
        maxDays: MAX_DAYS,
      });
    },
    async allow(actor: Principal, id: string, choice: ConsentChoice, http: ConsentRequest, note: AuditNote) {
      const found = await find(actor, id, http);
      if (!found.ok) return found;
      const { client, interaction, provider } = found.value;
      const { name } = applicationView(client);
      const { host } = targetOf(String(interaction.params.redirect_uri));
      const { queries = null, days = DEFAULT_DAYS } = choice;
      note.parameters = { application: name, clientId: client.clientId, host, queries, days };
      const problems = queries === null ? [] : await queryProblems(store, actor, queries);
      if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
        problems.push({ field: 'days', message: `Expected a whole number from 1 to ${MAX_DAYS}.` });
      if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
      if ((await store.oauth.listGrants(actor.userId, now())).length >= MAX_GRANTS) return tooManyGrants;
      if (!(await recordDecision(id))) return noRequest;
      const grantId = randomUUID();
      await store.oauth.insertGrant({
        id: grantId,
        userId: actor.userId,
        clientId: client.clientId,
        application: name,
        queries: queries === null ? null : [...new Set(queries)],
        isManaged: false,
        createdAt: now(),
        lastUsedAt: null,
        expiresAt: Math.min(now() + days * DAY_MS, actor.expiresAt ?? Number.POSITIVE_INFINITY),
      });
      const result = { login: { accountId: actor.userId, remember: false }, consent: { grantId } };
      const redirectTo = await provider.interactionResult(http.request, http.response, result, {
        mergeWithLastSubmission: false,
      });
      return succeeded({ redirectTo });
    },
    async cancel(actor: Principal, id: string, http: ConsentRequest, note: AuditNote): Promise<Result<{ redirectTo: string }>> {
      const found = await find(actor, id, http);
      if (!found.ok) return found;
      const { client, provider } = found.value;
      note.parameters = { application: applicationView(client).name, clientId: client.clientId };
      if (!(await recordDecision(id))) return noRequest;
      const result = { error: 'access_denied', error_description: 'The person did not allow it' };
      const redirectTo = await provider.interactionResult(http.request, http.response, result);
      return succeeded({ redirectTo });
    },
  };
}

const noRequest = failed({ kind: 'NotFound', what: 'request of an application with this id in this browser' });
const tooManyGrants = failed({
  kind: 'LimitReached',
  reason: `You have ${MAX_GRANTS} connected applications, which is the maximum. End the access of one first.`,
});

function applicationView({ clientId, clientName = '' }: Client) {
  const identity = identityOf(clientId);
  const name = plainName(clientName) || identity.documentHost || 'An application without a name';
  return { name, clientId, ...identity };
}

/** The redirect was checked by the authorization server. */
const targetOf = (uri: string): RedirectTarget => readRedirect(uri) ?? { kind: 'app', host: uri };
