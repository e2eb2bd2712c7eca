import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { EmbedParameters } from '../access/embeds/embed-parameters.ts';
import type { EmbedTokens } from '../access/embeds/embed-token.ts';
import type { GuessLimit } from '../access/guess-limit.ts';
import type { Passwords } from '../access/password.ts';
import { createAuditTrail } from '../administration/audit-trail.ts';
import { createDatabaseProbe } from '../administration/databases/database-probe.ts';
import type { DatabaseSecrets } from '../administration/databases/database-secrets.ts';
import { createDatabases } from '../administration/databases/databases.ts';
import { createEmbeds } from '../administration/embeds/embeds.ts';
import { createRunningQueries } from '../administration/executions.ts';
import { createApiKeys } from '../administration/keys/api-keys.ts';
import { createPreview, meteredPreview } from '../administration/queries/preview.ts';
import { createQueries } from '../administration/queries/queries.ts';
import { createQueryLifecycle } from '../administration/queries/query-lifecycle.ts';
import type { RuntimeSettings } from '../administration/settings.ts';
import type { OidcSignIn } from '../administration/sign-in/oidc-sign-in.ts';
import type { SignIn } from '../administration/sign-in/sign-in.ts';
import { createAccount } from '../administration/users/account.ts';
import { createRoles } from '../administration/users/roles.ts';
import { createUsers } from '../administration/users/users.ts';
import type { Config } from '../config/config.ts';
import type { Connections, ConnectorKind, Surroundings } from '../connectors/connector.ts';
import type { Admission } from '../delivery/admission.ts';
import type { Executions } from '../delivery/executions.ts';
import type { RunningEverywhere } from '../delivery/running-everywhere.ts';
import type { Audited } from '../delivery/steps/audited.ts';
import type { Authenticate } from '../delivery/steps/authenticate.ts';
import type { KeyPlaces } from '../delivery/steps/key-places.ts';
import type { RowQuota } from '../delivery/steps/row-quota.ts';
import type { SharedGuesses } from '../delivery/steps/shared-guesses.ts';
import type { WithinRate } from '../delivery/steps/within-rate.ts';
import type { Tracing } from '../delivery/tracing.ts';
import type { UnsentBytes } from '../delivery/unsent-bytes.ts';
import type { Browse } from '../delivery/use-cases/browse.ts';
import type { Downloads } from '../delivery/use-cases/download.ts';
import type { IssueEmbed } from '../delivery/use-cases/embed-issue.ts';
import type { ViewEmbed } from '../delivery/use-cases/embed-view.ts';
import type { DeliverExportFile } from '../delivery/use-cases/export-file.ts';
import type { DeliverExport } from '../delivery/use-cases/export.ts';
import type { Continue } from '../delivery/use-cases/next-page.ts';
import type { DeliverPage } from '../delivery/use-cases/page.ts';
import type { DeliverParameters } from '../delivery/use-cases/query-parameters.ts';
import type { StartStream } from '../delivery/use-cases/stream.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { version } from '../version.ts';
import { readEmbedBundle } from './embed/embed-bundle.ts';
import { registerEmbedRoutes } from './embed/embed-routes.ts';
import { registerHealthRoutes } from './health-routes.ts';
import { watchConnections } from './http/connections.ts';
import { createOrigins, type Origins } from './http/origins.ts';
import { createServer } from './http/server.ts';
import { traceRequests } from './http/trace-requests.ts';
import { accountRoutes } from './management/account-routes.ts';
import { apiKeyRoutes } from './management/api-key-routes.ts';
import { auditRoutes } from './management/audit-routes.ts';
import { databaseRoutes } from './management/database-routes.ts';
import { embedRoutes } from './management/embed-management-routes.ts';
import { executionRoutes } from './management/execution-routes.ts';
import type { ManagementRoute } from './management/management-route.ts';
import { toolRoutes } from './management/mcp-tool-routes.ts';
import { queryRoutes } from './management/query-routes.ts';
import { registerManagement } from './management/register-management.ts';
import { roleRoutes } from './management/role-routes.ts';
import { settingRoutes } from './management/setting-routes.ts';
import { userRoutes } from './management/user-routes.ts';
import { registerMcpRoutes } from './mcp/mcp-routes.ts';
import { registerReference } from './reference.ts';
import { registerExecuteRoutes } from './rest/execute-routes.ts';
import { registerExportRoutes } from './rest/export-routes.ts';
import { registerParameterRoutes } from './rest/parameter-routes.ts';
import { registerOidcRoutes } from './ui/oidc-routes.ts';
import { registerSessionRoutes } from './ui/session-routes.ts';
import { registerWebFiles } from './ui/web-files.ts';

export interface DoorParts {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly tracing: Tracing | null;
  readonly store: MetadataStore;
  readonly now: () => number;
  readonly newId: () => string;
  readonly authenticate: Authenticate;
  readonly withinRate: WithinRate;
  readonly unsent: UnsentBytes;
  readonly rowQuota: RowQuota;
  readonly keyPlaces: KeyPlaces;
  readonly audited: Audited;
  readonly admission: Admission;
  readonly executions: RunningEverywhere;
  readonly runningHere: Executions;
  readonly runtime: RuntimeSettings;
  readonly signIn: SignIn;
  readonly oidcSignIn: OidcSignIn | null;
  readonly passwords: Passwords;
  readonly guesses: GuessLimit;
  readonly sharedGuesses: SharedGuesses;
  readonly connections: Connections;
  readonly connectorKinds: Readonly<Record<string, ConnectorKind>>;
  readonly secrets: DatabaseSecrets;
  readonly surroundings: Surroundings;
  readonly deliverPage: DeliverPage;
  readonly deliverParameters: DeliverParameters;
  readonly deliverExport: DeliverExport;
  readonly deliverExportFile: DeliverExportFile;
  readonly downloads: Downloads;
  readonly embedding: {
    readonly tokens: EmbedTokens;
    readonly parameters: EmbedParameters;
    readonly issue: IssueEmbed;
    readonly view: ViewEmbed;
    readonly toPng: (svg: string) => Promise<Buffer>;
  };
  readonly browse: Browse;
  readonly continued: Continue;
  readonly startStream: StartStream;
}

export interface Doors {
  readonly url: string;
  /** Stops accepting connections and waits for running calls. */
  close(): Promise<void>;
  /** Closes all connections immediately. */
  cutOff(): void;
}

/** Registers all routes and listens. */
export async function openDoors(parts: DoorParts): Promise<Doors> {
  const { config, log, store, authenticate, audited } = parts;
  let url = config.baseUrl ?? addressOf(config, config.port); // final once the port is known
  let origins: Origins = createOrigins(config, url, () => config.port);
  let closing = false;
  const currentOrigins: Origins = { allows: (request) => origins.allows(request), isKnown: (origin) => origins.isKnown(origin) };

  const { app, refuseOtherMethods } = await createServer({ config, log, origins: currentOrigins });
  // keep-alive connections would delay the shutdown
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('Connection', 'close');
    done();
  });
  if (parts.tracing !== null) traceRequests(app, parts.tracing);
  registerHealthRoutes(app, {
    ping: store.ping,
    admission: parts.admission,
    metricsToken: config.metricsToken,
    origins: currentOrigins,
    isClosing: () => closing,
  });
  registerExecuteRoutes(app, { deliverPage: parts.deliverPage, origins: currentOrigins });
  registerParameterRoutes(app, parts.deliverParameters);
  registerExportRoutes(app, { ...parts, origins: currentOrigins, baseUrl: () => url });
  registerMcpRoutes(app, {
    ...parts,
    origins: currentOrigins,
    baseUrl: () => url,
    rowsDefault: () => parts.runtime.current().rowsDefault,
  });
  const embeds = config.edition === 'extended' ? openEmbeds(app, parts, currentOrigins, () => url) : [];
  const account = createAccount(parts);
  registerSessionRoutes(app, {
    signIn: parts.signIn,
    authenticate,
    account: account.get,
    installation: { edition: config.edition, mcp: config.mcp, version },
    origins: currentOrigins,
    secure: (request) => isHttps(request, config),
  });
  registerOidcRoutes(app, {
    oidc: parts.oidcSignIn,
    baseUrl: () => url,
    secure: (request) => isHttps(request, config),
  });
  registerManagement(
    app,
    managementRoutes(parts, [
      ...accountRoutes(account),
      ...embeds,
      ...toolRoutes({ enabled: config.mcp, baseUrl: () => url }),
      ...settingRoutes(parts.runtime, () => ({ baseUrl: url, port: portOf(app.server.address()) })),
    ]),
    {
      authenticate,
      withinRate: parts.withinRate,
      unsent: parts.unsent,
      audited,
      origins: currentOrigins,
    },
  );
  app.get('/openapi.json', { schema: { tags: ['Health'], security: [], summary: 'This document' } }, async () => app.swagger());
  registerReference(app);
  await registerWebFiles(app);
  refuseOtherMethods();

  const connections = watchConnections(app.server, config.stallSeconds * 1000);
  app.addHook('onClose', async () => connections.stop());

  await app.listen({ host: config.host, port: config.port });
  url = config.baseUrl ?? addressOf(config, portOf(app.server.address()));
  origins = createOrigins(config, url, () => portOf(app.server.address()));
  return {
    url,
    close: async () => {
      closing = true;
      await app.close();
    },
    cutOff: () => app.server.closeAllConnections(),
  };
}

/** Extended Edition only. */
function openEmbeds(app: FastifyInstance, parts: DoorParts, origins: Origins, baseUrl: () => string): readonly ManagementRoute[] {
  const { issue, view, tokens, parameters, toPng } = parts.embedding;
  const bundle = readEmbedBundle();
  if (bundle === null) parts.log.warn('The script of embed pages was not built: charts are static pictures without tools');
  const { frameAncestors } = parts.config;
  registerEmbedRoutes(app, { issueEmbed: issue, viewEmbed: view, toPng, bundle, frameAncestors, origins, baseUrl });
  return embedRoutes(createEmbeds({ store: parts.store, tokens, parameters, now: parts.now, rowQuota: parts.rowQuota }), baseUrl);
}

function managementRoutes(parts: DoorParts, ofAccount: readonly ManagementRoute[]): readonly ManagementRoute[] {
  const { store, config, now, newId, connections, secrets, surroundings, admission } = parts;
  // the demo file is in the data folder and only for the demo database
  const ofUsers = { ...surroundings, trustedFiles: [] };
  const databaseParts = { store, kinds: parts.connectorKinds, secrets, surroundings: ofUsers, connections, now, newId };
  return [
    ...ofAccount,
    ...apiKeyRoutes(createApiKeys({ store, now, settings: parts.runtime.current })),
    ...userRoutes(createUsers(parts)),
    ...roleRoutes(createRoles(parts)),
    ...databaseRoutes({ databases: createDatabases(databaseParts), probe: createDatabaseProbe(databaseParts) }),
    ...queryRoutes({
      queries: createQueries({ store, namePrefix: config.namePrefix, now, newId }),
      lifecycle: createQueryLifecycle({ store, connections, now }),
      preview: meteredPreview(
        createPreview({ store, connections, enter: admission.enter, executions: parts.runningHere, newId }),
        parts.rowQuota,
        parts.keyPlaces,
      ),
    }),
    ...auditRoutes(createAuditTrail(parts)),
    ...executionRoutes(createRunningQueries(parts)),
  ];
}

function addressOf(config: Config, port: number): string {
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  return `${config.tlsCert === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

const isHttps = (request: FastifyRequest, config: Config): boolean =>
  request.protocol === 'https' || (config.baseUrl?.startsWith('https:') ?? false);
