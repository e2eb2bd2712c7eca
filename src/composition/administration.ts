import { attributeNameOf, createAttempts } from '../access/oidc.ts';
import type { Principal } from '../access/principal.ts';
import { createApiKeys } from '../administration/api-keys.ts';
import { createAuditTrail } from '../administration/audit-trail.ts';
import { createCatalogFiles } from '../administration/catalog/apply-catalog.ts';
import { createDatabaseProbe } from '../administration/databases/database-probe.ts';
import { createDatabases } from '../administration/databases/databases.ts';
import { createEmbeds } from '../administration/embeds.ts';
import { createRunningQueries } from '../administration/executions.ts';
import { createFigures } from '../administration/figures.ts';
import { createHome } from '../administration/home.ts';
import { createLinks } from '../administration/links.ts';
import { createFavorites } from '../administration/queries/favorites.ts';
import { createPreview } from '../administration/queries/preview.ts';
import { createQueries } from '../administration/queries/queries.ts';
import { createQueryChanges } from '../administration/queries/query-changes.ts';
import { createQueryLifecycle } from '../administration/queries/query-lifecycle.ts';
import { createQueryVersions } from '../administration/queries/query-versions.ts';
import { createOidcProvider, type OidcProvider } from '../administration/sign-in/oidc-provider.ts';
import { createOidcSignIn, type OidcSignIn } from '../administration/sign-in/oidc-sign-in.ts';
import { createSignIn } from '../administration/sign-in/sign-in.ts';
import { createAccount } from '../administration/users/account.ts';
import { createRoles } from '../administration/users/roles.ts';
import { createUsers } from '../administration/users/users.ts';
import { createVouching } from '../administration/users/vouching.ts';
import { engines } from '../connectors/engines.ts';
import { addressProblem } from '../operations/fetch-document.ts';
import { listAnswers, listNamedQueries } from '../pipeline/use-cases/browse.ts';
import type { Embedding } from './embedding.ts';
import type { OAuth } from './oauth.ts';
import type { Pipeline, PipelineParts } from './pipeline.ts';

/** The use-cases of the management interface. */
export function composeAdministration(parts: PipelineParts, pipeline: Pipeline, embedding: Embedding, oauth: OAuth | null) {
  const { config, storage, access, now } = parts;
  const { store, databases } = storage;
  const { rowQuota } = pipeline.deliverParts;
  const { settings, passwords, guesses, sharedGuesses } = access;
  const { tokens, parameters, pictures } = embedding;
  const providerAttributes = new Set(config.oidcAttributes.map(attributeNameOf));
  return {
    settings,
    account: createAccount({ store, passwords, guesses, sharedGuesses, now }),
    apiKeys: createApiKeys({ store, now, settings: settings.current }),
    users: createUsers({ store, passwords, providerAttributes, now }),
    vouching: createVouching({
      store,
      secrets: access.signingSecrets,
      addressProblem: (address) => addressProblem(address, config.oauthPrivateHosts),
      now,
    }),
    oauth: oauth?.useCases ?? null,
    roles: createRoles({ store }),
    ...composeDatabases(parts),
    queries: createQueries({ store, namePrefix: config.namePrefix, now, flushRuns: pipeline.queryRuns.flush }),
    favorites: createFavorites({ store, now }),
    lifecycle: createQueryLifecycle({ store, connections: databases.connections, providerAttributes, now }),
    catalogFiles: createCatalogFiles({
      store,
      settings: settings.current,
      connections: databases.connections,
      providerAttributes,

      now,
    }),
    versions: createQueryVersions({ store, now }),
    changes: createQueryChanges({ store, settings: settings.current, now }),
    preview: composePreview(parts, pipeline),
    embeds:
      config.edition === 'extended'
        ? createEmbeds({ store, tokens, parameters, findPicture: pictures.find, now, rowQuota })
        : null,
    links: createLinks({ ...pipeline.links, store, now, rowQuota, bind: pipeline.deliverParts }),
    auditTrail: createAuditTrail({ store, now }),
    runningQueries: createRunningQueries({ executions: pipeline.clusterExecutions }),
    home: createHome({ store, executions: pipeline.clusterExecutions, flushRuns: pipeline.queryRuns.flush, now }),
    figures: createFigures({ store, readFigure: pipeline.readFigure, flushRuns: pipeline.queryRuns.flush }),
    typedQueries: (principal: Principal, names: readonly string[]) => listNamedQueries(store, principal, names, 'mcp'),
    listAnswers: (principal: Principal) => listAnswers(store, pipeline.queryRuns, principal),
  };
}

function composeDatabases({ storage: { store, databases }, now }: PipelineParts) {
  const parts = {
    store,
    engines,
    secrets: databases.secrets,
    context: { ...databases.context, trustedFiles: [] }, // only the demo database may use the demo file
    connections: databases.connections,
    now,
  };
  return { databases: createDatabases(parts), probe: createDatabaseProbe(parts) };
}

function composePreview({ storage: { store, databases }, now }: PipelineParts, pipeline: Pipeline) {
  const { admission, executions, keySlots, deliverParts } = pipeline;
  const { connections } = databases;
  return createPreview({
    store,
    connections,
    enter: admission.enter,
    executions,
    readClock: () => ({ now: now(), zone: deliverParts.zone }),
    rowQuota: deliverParts.rowQuota,
    keySlots,
  });
}

/** Sign-in by password and, if configured, through OpenID Connect. */
export function composeSignIn(parts: PipelineParts) {
  const { config, storage, access, audit, now } = parts;
  const signIn = createSignIn({ store: storage.store, authenticate: access.authenticate, auditCall: audit.auditCall, now });
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcScopes: scopes } = config;
  if (issuer === null || clientId === null) return { signIn, oidc: null, provider: null };
  const provider = createOidcProvider({ issuer, clientId, clientSecret, scopes }, now);
  return { signIn, oidc: composeOidcSignIn(parts, issuer, provider), provider };
}

function composeOidcSignIn(
  { config, storage: { folder, store }, audit: { auditCall }, now }: PipelineParts,
  issuer: string,
  provider: OidcProvider,
): OidcSignIn {
  return createOidcSignIn({
    store,
    auditCall,
    now,
    attempts: createAttempts(folder.keys),
    name: config.oidcName,
    issuer,
    provider,
    rules: {
      usernameClaim: config.oidcUsernameClaim,
      rolesClaim: config.oidcRolesClaim,
      roleMap: config.oidcRoleMap,
      databaseMap: config.oidcDatabaseMap,
      defaultRoles: config.oidcDefaultRoles,
      attributes: config.oidcAttributes,
    },
  });
}
