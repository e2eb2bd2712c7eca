import type { AddressInfo } from 'node:net';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { GuessLimit } from '../access/guess-limit.ts';
import type { Passwords } from '../access/password.ts';
import { createAccount } from '../administration/account.ts';
import { createApiKeys } from '../administration/api-keys.ts';
import { createAuditTrail } from '../administration/audit-trail.ts';
import { createDatabaseProbe } from '../administration/database-probe.ts';
import type { DatabaseSecrets } from '../administration/database-secrets.ts';
import { createDatabases } from '../administration/databases.ts';
import { createRunningQueries } from '../administration/executions.ts';
import { createPreview } from '../administration/preview.ts';
import { createQueries } from '../administration/queries.ts';
import { createQueryLifecycle } from '../administration/query-lifecycle.ts';
import { createRoles } from '../administration/roles.ts';
import type { RuntimeSettings } from '../administration/settings.ts';
import type { SignIn } from '../administration/sign-in.ts';
import { createUsers } from '../administration/users.ts';
import type { Config } from '../config.ts';
import type { Connections, ConnectorKind, Surroundings } from '../connectors/connector.ts';
import type { Admission } from '../delivery/admission.ts';
import type { Executions } from '../delivery/executions.ts';
import type { Audited } from '../delivery/steps/audited.ts';
import type { Authenticate } from '../delivery/steps/authenticate.ts';
import type { WithinRate } from '../delivery/steps/within-rate.ts';
import type { Downloads } from '../delivery/use-cases/download.ts';
import type { DeliverExport } from '../delivery/use-cases/export.ts';
import type { DeliverExportFile } from '../delivery/use-cases/export-file.ts';
import type { DeliverPage } from '../delivery/use-cases/page.ts';
import type { DeliverParameters } from '../delivery/use-cases/query-parameters.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { version } from '../version.ts';
import { registerHealthRoutes } from './health-routes.ts';
import type { ManagementRoute } from './management-route.ts';
import { createOrigins, type Origins } from './origins.ts';
import { registerManagement } from './register-management.ts';
import { registerExecuteRoutes } from './rest/execute-routes.ts';
import { registerExportRoutes } from './rest/export-routes.ts';
import { registerParameterRoutes } from './rest/parameter-routes.ts';
import { createServer } from './server.ts';
import { accountRoutes } from './ui/account-routes.ts';
import { apiKeyRoutes } from './ui/api-key-routes.ts';
import { auditRoutes } from './ui/audit-routes.ts';
import { databaseRoutes } from './ui/database-routes.ts';
import { executionRoutes } from './ui/execution-routes.ts';
import { queryRoutes } from './ui/query-routes.ts';
import { roleRoutes } from './ui/role-routes.ts';
import { registerSessionRoutes } from './ui/session-routes.ts';
import { settingRoutes } from './ui/setting-routes.ts';
import { userRoutes } from './ui/user-routes.ts';

export interface DoorParts {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly store: MetadataStore;
  readonly now: () => number;
  readonly newId: () => string;
  readonly authenticate: Authenticate;
  readonly withinRate: WithinRate;
  readonly audited: Audited;
  readonly admission: Admission;
  readonly executions: Executions;
  readonly runtime: RuntimeSettings;
  readonly signIn: SignIn;
  readonly passwords: Passwords;
  readonly guesses: GuessLimit;
  readonly connections: Connections;
  readonly connectorKinds: Readonly<Record<string, ConnectorKind>>;
  readonly secrets: DatabaseSecrets;
  readonly surroundings: Surroundings;
  readonly deliverPage: DeliverPage;
  readonly deliverParameters: DeliverParameters;
  readonly deliverExport: DeliverExport;
  readonly deliverExportFile: DeliverExportFile;
  readonly downloads: Downloads;
}

export interface Doors {
  readonly url: string;
  /** Accepts no more and waits for the calls that run. */
  close(): Promise<void>;
  /** Ends every connection at once, finished or not. */
  cutOff(): void;
}

/** The reference works offline: whatever its bundle would like to fetch from elsewhere is refused. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Declares every route and listens. */
export async function openDoors(parts: DoorParts): Promise<Doors> {
  const { config, log, store, authenticate, audited } = parts;
  let url = config.baseUrl ?? addressOf(config, config.port); // which port it is, is known only later
  let origins: Origins = createOrigins(config, url, () => config.port);
  let closing = false;
  const currentOrigins: Origins = { allows: (request) => origins.allows(request), isKnown: (origin) => origins.isKnown(origin) };

  const { app, refuseOtherMethods } = await createServer({ config, log, origins: currentOrigins });
  // a connection that stays open after its answer would keep us from stopping
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('Connection', 'close');
    done();
  });
  registerHealthRoutes(app, {
    ping: store.ping,
    admission: parts.admission,
    metricsToken: config.metricsToken,
    isClosing: () => closing,
  });
  registerExecuteRoutes(app, { deliverPage: parts.deliverPage, origins: currentOrigins });
  registerParameterRoutes(app, parts.deliverParameters);
  registerExportRoutes(app, { ...parts, origins: currentOrigins, baseUrl: () => url });
  const account = createAccount(parts);
  registerSessionRoutes(app, {
    signIn: parts.signIn,
    authenticate,
    account: account.get,
    installation: { edition: config.edition, mcp: config.mcp, version },
    origins: currentOrigins,
    secure: (request) => isHttps(request, config),
  });
  registerManagement(app, managementRoutes(parts, accountRoutes(account)), {
    authenticate,
    withinRate: parts.withinRate,
    audited,
    origins: currentOrigins,
  });
  app.get('/openapi.json', { schema: { tags: ['Health'], security: [], summary: 'This document' } }, async () => app.swagger());
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
    hooks: {
      onRequest: (_request, reply, done) => {
        reply.header('Content-Security-Policy', REFERENCE_POLICY);
        done();
      },
    },
  });
  refuseOtherMethods();

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

function managementRoutes(parts: DoorParts, ofAccount: readonly ManagementRoute[]): readonly ManagementRoute[] {
  const { store, config, now, newId, connections, secrets, surroundings, admission } = parts;
  // the demo file lies in the data folder and is for the demo database alone
  const ofUsers = { ...surroundings, trustedFiles: [] };
  const databaseParts = { store, kinds: parts.connectorKinds, secrets, surroundings: ofUsers, connections, now, newId };
  return [
    ...ofAccount,
    ...apiKeyRoutes(createApiKeys(parts)),
    ...userRoutes(createUsers(parts)),
    ...roleRoutes(createRoles(parts)),
    ...databaseRoutes({ databases: createDatabases(databaseParts), probe: createDatabaseProbe(databaseParts) }),
    ...queryRoutes({
      queries: createQueries({ store, namePrefix: config.namePrefix, now, newId }),
      lifecycle: createQueryLifecycle({ store, connections, now }),
      preview: createPreview({ store, connections, enter: admission.enter }),
    }),
    ...auditRoutes(createAuditTrail(parts)),
    ...executionRoutes(createRunningQueries(parts)),
    ...settingRoutes(parts.runtime),
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
