import { randomUUID } from 'node:crypto';
import { attributeNameOf, createAttempts } from '../access/oidc.ts';
import type { Principal } from '../access/principal.ts';
import { createApiKeys } from '../administration/api-keys.ts';
import { createAuditTrail } from '../administration/audit-trail.ts';
import { createDatabaseProbe } from '../administration/databases/database-probe.ts';
import { createDatabases } from '../administration/databases/databases.ts';
import { createEmbeds } from '../administration/embeds.ts';
import { createRunningQueries } from '../administration/executions.ts';
import { createFigures } from '../administration/figures.ts';
import { createHome } from '../administration/home.ts';
import { createFavorites } from '../administration/queries/favorites.ts';
import { createPreview, meterPreview } from '../administration/queries/preview.ts';
import { createQueries } from '../administration/queries/queries.ts';
import { createQueryLifecycle } from '../administration/queries/query-lifecycle.ts';
import { createOidcProvider } from '../administration/sign-in/oidc-provider.ts';
import { createOidcSignIn, type OidcSignIn } from '../administration/sign-in/oidc-sign-in.ts';
import { createSignIn } from '../administration/sign-in/sign-in.ts';
import { createAccount } from '../administration/users/account.ts';
import { createRoles } from '../administration/users/roles.ts';
import { createUsers } from '../administration/users/users.ts';
import { engines } from '../connectors/engines.ts';
import { listAnswers, listNamedQueries } from '../pipeline/use-cases/browse.ts';
import type { Embedding } from './embedding.ts';
import type { Pipeline, PipelineParts } from './pipeline.ts';

/** The use-cases of the management interface. */
export function composeAdministration(parts: PipelineParts, pipeline: Pipeline, embedding: Embedding) {
  const { config, storage, access, now } = parts;
  const { store, databases } = storage;
  const { settings, passwords, guesses, sharedGuesses } = access;
  const { tokens, parameters, pictures } = embedding;
  const providerAttributes = new Set(config.oidcAttributes.map(attributeNameOf));
  return {
    settings,
    account: createAccount({ store, passwords, guesses, sharedGuesses, now }),
    apiKeys: createApiKeys({ store, now, settings: settings.current }),
    users: createUsers({ store, passwords, providerAttributes, now }),
    roles: createRoles({ store }),
    ...composeDatabases(parts),
    queries: createQueries({ store, namePrefix: config.namePrefix, now, newId: randomUUID, flushRuns: pipeline.queryRuns.flush }),
    favorites: createFavorites({ store, now }),
    lifecycle: createQueryLifecycle({ store, connections: databases.connections, providerAttributes, now }),
    preview: composePreview(parts, pipeline),
    embeds:
      config.edition === 'extended'
        ? createEmbeds({ store, tokens, parameters, findPicture: pictures.find, now, rowQuota: pipeline.deliverParts.rowQuota })
        : null,
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
    newId: randomUUID,
  };
  return { databases: createDatabases(parts), probe: createDatabaseProbe(parts) };
}

function composePreview({ storage: { store, databases }, now }: PipelineParts, pipeline: Pipeline) {
  const { admission, executions, keySlots, deliverParts } = pipeline;
  const { connections } = databases;
  const preview = createPreview({
    store,
    connections,
    enter: admission.enter,
    executions,
    readClock: () => ({ now: now(), zone: deliverParts.zone }),
    newId: randomUUID,
  });
  return meterPreview(preview, deliverParts.rowQuota, keySlots);
}

/** Sign-in by password and, if configured, through OpenID Connect. */
export function composeSignIn(parts: PipelineParts) {
  const { storage, access, audit, now } = parts;
  const signIn = createSignIn({ store: storage.store, authenticate: access.authenticate, auditCall: audit.auditCall, now });
  return { signIn, oidc: composeOidcSignIn(parts) };
}

function composeOidcSignIn({ config, storage: { folder, store }, audit: { auditCall }, now }: PipelineParts): OidcSignIn | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcScopes: scopes } = config;
  if (issuer === null || clientId === null) return null;
  return createOidcSignIn({
    store,
    auditCall,
    now,
    attempts: createAttempts(folder.keys),
    name: config.oidcName,
    issuer,
    provider: createOidcProvider({ issuer, clientId, clientSecret, scopes }, now),
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
