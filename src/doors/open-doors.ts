import type { AddressInfo, ListenOptions } from 'node:net';
import { resolve } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance, FastifyListenOptions, FastifyRequest } from 'fastify';
import type { AuthorizationServer } from '../administration/oauth/authorization-server.ts';
import type { Config } from '../config/config.ts';
import { version } from '../core/version.ts';
import type { Call } from '../pipeline/call.ts';
import { readUnaudited } from '../pipeline/steps/audit-call.ts';
import type { Tracing } from '../pipeline/tracing.ts';
import type { DeliverChoices } from '../pipeline/use-cases/choices.ts';
import { type DataRouteParts, registerDataRoutes } from './data/data-routes.ts';
import { type EmbedRouteParts, registerEmbedRoutes } from './embed/embed-routes.ts';
import { embedScript } from './embed/embed-script.ts';
import { type HealthParts, registerHealthRoutes } from './health-routes.ts';
import { type BasePath, basePathOf } from './http/base-path.ts';
import { watchConnections } from './http/connections.ts';
import { createOrigins, type Origins } from './http/origins.ts';
import { createServer, traceRequests } from './http/server.ts';
import { type Administration, managementRoutes } from './management/management-routes.ts';
import { createTryTool } from './management/mcp-tool-routes.ts';
import { type ManagementParts, registerManagement } from './management/register-management.ts';
import { registerMcpRoutes } from './mcp/mcp-routes.ts';
import type { ToolParts } from './mcp/tool.ts';
import { registerAuthorizationRoutes, RESOURCE_METADATA } from './oauth/authorization-routes.ts';
import { registerReference } from './reference.ts';
import { type CallerDocumentParts, registerCallerDocument } from './rest/caller-document.ts';
import { registerChoicesRoutes } from './rest/choices-routes.ts';
import { type ExecuteRouteParts, registerExecuteRoutes } from './rest/execute-routes.ts';
import { type ExportRouteParts, registerExportRoutes } from './rest/export-routes.ts';
import { registerSummaryRoutes, type SummaryRouteParts } from './rest/summary-routes.ts';
import { type OidcParts, registerOidcRoutes } from './ui/oidc-routes.ts';
import { registerSessionRoutes, type Installation, type SessionParts } from './ui/session-routes.ts';
import { registerWebFiles } from './ui/web-files.ts';

/** What each door needs from the rest of the service. */
export interface DoorParts {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly tracing: Tracing | null;
  readonly health: Pick<HealthParts, 'readiness' | 'admission' | 'connectMetrics'>;
  readonly rest: Omit<
    ExecuteRouteParts & SummaryRouteParts & ExportRouteParts & DataRouteParts & CallerDocumentParts,
    'origins' | 'baseUrl'
  > & {
    readonly deliverChoices: DeliverChoices;
  };
  readonly mcp: Omit<ToolParts, 'baseUrl'>;
  readonly embeds: Pick<EmbedRouteParts, 'issueEmbed' | 'viewEmbed' | 'toPng' | 'pictures'> | null; // null: Standard Edition
  readonly session: Pick<SessionParts, 'signIn' | 'authenticate'> &
    Pick<OidcParts, 'oidc'> & { rowLimits(): Pick<Installation, 'rowsDefault' | 'rowsMax'> };
  readonly authorizationServer: Pick<AuthorizationServer, 'serve'> | null; // null: AI applications cannot sign people in
  readonly management: Omit<ManagementParts, 'origins'>;
  readonly administration: Administration;
}

export interface Doors {
  readonly url: string;
  /** Stops accepting connections and waits for running calls. */
  close(): Promise<void>;
  /** Closes all connections immediately; resets those whose responses are incomplete. */
  cutOff(): void;
}

/** Registers all routes and listens. */
export async function openDoors(parts: DoorParts): Promise<Doors> {
  const { config, log } = parts;
  const basePath = basePathOf(config.baseUrl);
  let url = config.baseUrl ?? addressOf(config, config.port); // like its origins, final once the port is known
  let current: Origins = createOrigins(config, url, () => config.port);
  const origins: Origins = { refusalOf: (request) => current.refusalOf(request), isKnown: (origin) => current.isKnown(origin) };

  const { app, refuseOtherMethods, openApiDocument, isClosing } = await createServer({ config, log, origins });
  const port = (): number => portOf(app.server.address());
  if (parts.tracing !== null) traceRequests(app, parts.tracing);
  registerHealthRoutes(app, { ...parts.health, metricsToken: config.metricsToken, origins, isClosing });
  registerRoutes(app, parts, { origins, basePath, baseUrl: () => url, port });
  registerReference(app, basePath, () => openApiDocument(url));
  await registerWebFiles(app, basePath);
  refuseOtherMethods();

  const connections = watchConnections(app.server, config.stallSeconds * 1000);
  app.addHook('onClose', async () => connections.stop());

  await app.listen(listenOptions(config));
  url = config.baseUrl ?? addressOf(config, port());
  current = createOrigins(config, url, port);
  return { url, close: () => app.close(), cutOff: connections.cutOff };
}

/** On Linux each worker listens on a socket of its own, and the kernel spreads the connections. Of one shared socket, the first worker that wakes takes most. */
const listenOptions = ({ host, port, workers }: Config): FastifyListenOptions & ListenOptions => ({
  host,
  port,
  reusePort: workers > 1 && process.platform === 'linux',
});

interface Address {
  readonly origins: Origins;
  readonly basePath: BasePath;
  readonly baseUrl: () => string;
  readonly port: () => number;
}

function registerRoutes(app: FastifyInstance, parts: DoorParts, { origins, basePath, baseUrl, port }: Address): void {
  const { config, log, rest, session, administration } = parts;
  const cookieOptions = (request: FastifyRequest) =>
    ({ path: basePath || '/', httpOnly: true, sameSite: 'lax', secure: isHttps(request, config) }) as const;
  registerExecuteRoutes(app, { ...rest, origins, baseUrl });
  registerSummaryRoutes(app, { ...rest, origins, baseUrl });
  registerCallerDocument(app, { ...rest, baseUrl });
  registerChoicesRoutes(app, rest.deliverChoices);
  registerExportRoutes(app, { ...rest, origins, baseUrl });
  registerDataRoutes(app, { ...rest, baseUrl });
  const { authorizationServer } = parts;
  const authenticate = (call: Call) =>
    readUnaudited(parts.management.auditCall, call, () => session.authenticate(call.credential, call.address));
  const oauth = authorizationServer && { authenticate, metadataUrl: () => baseUrl() + RESOURCE_METADATA };
  registerMcpRoutes(app, { ...parts.mcp, config, origins, baseUrl, tracing: parts.tracing, oauth });
  if (authorizationServer !== null)
    registerAuthorizationRoutes(app, { server: authorizationServer, basePath, baseUrl, origins, mcpAllow: config.mcpAllow });
  if (parts.embeds !== null) {
    const script = embedScript();
    if (script === null) log.warn('The script of embed pages was not built: charts are static pictures without tools');
    registerEmbedRoutes(app, { ...parts.embeds, script, frameAncestors: config.frameAncestors, origins, baseUrl });
  }
  registerSessionRoutes(app, {
    signIn: session.signIn,
    authenticate: session.authenticate,
    auditCall: parts.management.auditCall,
    account: administration.account.get,
    installation: () => ({
      edition: config.edition,
      mcp: config.mcp,
      oauth: authorizationServer !== null,
      version,
      baseUrl: baseUrl(),
      timeZone: config.timeZone,
      fileFolders: config.fileFolders.map((folder) => resolve(folder)),
      ...session.rowLimits(),
    }),
    origins,
    cookieOptions,
  });
  registerOidcRoutes(app, { oidc: session.oidc, basePath, baseUrl, cookieOptions });
  const tryTool = createTryTool({ ...parts.mcp, baseUrl });
  const routes = managementRoutes(administration, { mcp: config.mcp, baseUrl, port, tryTool });
  registerManagement(app, routes, { ...parts.management, origins });
}

function addressOf(config: Config, port: number): string {
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  return `${config.tlsCert === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

const isHttps = (request: FastifyRequest, config: Config): boolean =>
  request.protocol === 'https' || (config.baseUrl?.startsWith('https:') ?? false);
