import { createAuthorizationServer } from '../administration/oauth/authorization-server.ts';
import { createConnectedApplications } from '../administration/oauth/connected-applications.ts';
import { createConsent } from '../administration/oauth/consent.ts';
import { createReadAssertion } from '../administration/oauth/identity-assertion.ts';
import { createRegisteredApplications } from '../administration/oauth/registered-applications.ts';
import type { OidcProvider } from '../administration/sign-in/oidc-provider.ts';
import { isOAuthOn } from '../config/config.ts';
import { createFetchDocument } from '../operations/fetch-document.ts';
import { createCallLimit } from '../pipeline/limits/call-limit.ts';
import type { PipelineParts } from './pipeline.ts';

const MAX_LOG_LINES = 60; // per minute, because anyone can cause them

export type OAuth = NonNullable<ReturnType<typeof composeOAuth>>;

/** Signing in from AI applications; null: it is off. */
export function composeOAuth(
  { config, storage: { store, folder }, access, audit: { auditCall }, log, now }: PipelineParts,
  provider: OidcProvider | null,
) {
  if (!isOAuthOn(config)) return null;
  const limitLines = createCallLimit();
  const isManaged = config.oauthManaged && provider !== null;
  const server = createAuthorizationServer({
    store,
    now,
    keys: folder.keys,
    baseUrl: () => access.service.url,
    fetchDocument: createFetchDocument(config.oauthPrivateHosts),
    clientHosts: config.oauthClientHosts,
    managed: isManaged ? { readAssertion: createReadAssertion({ provider, now }), auditCall } : null,
    findSignedIn: async (sessionId) => {
      const principal = await access.authenticate({ kind: 'session', sessionId }, '');
      return principal.ok ? principal.value.userId : null;
    },
    onDocumentProblem(document, error) {
      if (limitLines('documents', MAX_LOG_LINES, now()) > 0) return;
      log.warn({ document, reason: String(error) }, 'The metadata document of an application was not read');
    },
    onDefect: (err) => log.error({ err }, 'The authorization server failed'),
  });
  return {
    server,
    useCases: {
      consent: createConsent({ server, store, now }),
      connectedApplications: createConnectedApplications({ store, now }),
      registeredApplications: createRegisteredApplications({ store, now }),
    },
  };
}
