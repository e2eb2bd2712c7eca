import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../access/address-network.ts';
import { type AuthorizationServer, OAUTH_PATH, SCOPE } from '../../administration/oauth/authorization-server.ts';
import { createCallLimit } from '../../pipeline/limits/call-limit.ts';
import type { BasePath } from '../http/base-path.ts';
import { createAnonymousCall } from '../http/call-of.ts';
import { sendFailure, sendJson } from '../http/failure-response.ts';
import { allowOrigin, type Origins } from '../http/origins.ts';
import { sendAllowed } from '../http/server.ts';
import { createGate } from '../mcp/mcp-routes.ts';

export interface AuthorizationRouteParts {
  readonly server: Pick<AuthorizationServer, 'serve'>;
  readonly basePath: BasePath;
  readonly baseUrl: () => string;
  readonly origins: Origins;
  readonly mcpAllow: readonly string[];
}

export const RESOURCE_METADATA = `/.well-known/oauth-protected-resource${OAUTH_PATH}`;

/** Calls of one network per minute, because the callers are not signed in yet. */
const LIMITS = { '/register': 30, '/authorize': 120, '/token': 1200, '/revoke': 1200, '/jwks': Number.POSITIVE_INFINITY };
type Endpoint = keyof typeof LIMITS;

const cors = { methods: 'GET, POST', headers: 'Authorization, Content-Type, MCP-Protocol-Version', exposed: 'WWW-Authenticate' };

/** The authorization server below the gateway's address, and its metadata where clients look for them. */
export function registerAuthorizationRoutes(app: FastifyInstance, parts: AuthorizationRouteParts): void {
  void app.register(async (scope) => {
    // the authorization server reads bodies itself
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    registerMetadata(scope, parts);
    registerEndpoints(scope, parts);
  });
}

function registerEndpoints(app: FastifyInstance, { server, origins, mcpAllow }: AuthorizationRouteParts): void {
  const gate = createGate(origins, mcpAllow);
  const secondsToWait = createCallLimit();
  const allowKnownOrigin = (request: FastifyRequest, reply: FastifyReply): void => {
    const { origin } = request.headers;
    if (origin !== undefined && origins.isKnown(origin)) allowOrigin(request, reply, cors);
  };
  const serve = (endpoint: Endpoint) => async (request: FastifyRequest, reply: FastifyReply) => {
    const refusal = gate(request);
    if (refusal !== null) return sendFailure(request, reply, refusal);
    const wait = secondsToWait(`${endpoint} ${networkOf(request.ip)}`, LIMITS[endpoint], Date.now());
    if (wait > 0) return sendFailure(request, reply, { kind: 'RateExceeded', of: 'network', retryAfterSeconds: wait });
    allowKnownOrigin(request, reply);
    return serveWith(server, request, reply, relativePath(request));
  };
  const route = (method: 'GET' | 'POST', endpoint: Endpoint, path: string = endpoint) => {
    app.route({
      method,
      url: OAUTH_PATH + path,
      config: { operation: null },
      handler: serve(endpoint),
    });
    if (method === 'GET') return;
    app.options(OAUTH_PATH + path, { config: { operation: null } }, (request, reply) => {
      allowKnownOrigin(request, reply);
      return sendAllowed(request, reply, ['POST']);
    });
  };
  route('GET', '/authorize');
  route('GET', '/authorize', '/authorize/:uid');
  route('POST', '/token');
  route('POST', '/register');
  route('POST', '/revoke');
  route('GET', '/jwks');
}

const relativePath = ({ raw: { url = '' } }: FastifyRequest): string => url.slice(OAUTH_PATH.length);

/** The metadata, which pages of any origin may read. */
function registerMetadata(app: FastifyInstance, { server, basePath, baseUrl, mcpAllow }: AuthorizationRouteParts): void {
  const gate = createGate({ refusalOf: () => null }, mcpAllow);
  const publish = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => unknown) => {
    const allowAll = (reply: FastifyReply) =>
      reply.headers({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'MCP-Protocol-Version' });
    const options = { config: { operation: null } };
    app.get(url, options, (request, reply) => {
      const refusal = gate(request);
      return refusal === null ? handler(request, allowAll(reply)) : sendFailure(request, reply, refusal);
    });
    app.options(url, options, (request, reply) => sendAllowed(request, allowAll(reply), ['GET']));
  };
  const resource = (_request: FastifyRequest, reply: FastifyReply) => {
    const address = baseUrl() + OAUTH_PATH;
    return sendJson(reply, {
      resource: address,
      authorization_servers: [address],
      scopes_supported: [SCOPE],
      bearer_methods_supported: ['header'],
      resource_name: 'Sluice',
    });
  };
  const discovery = (request: FastifyRequest, reply: FastifyReply) =>
    serveWith(server, request, reply, '/.well-known/oauth-authorization-server');
  // a proxy may also forward paths outside the base path
  for (const path of new Set([OAUTH_PATH, basePath + OAUTH_PATH])) {
    publish(`/.well-known/oauth-protected-resource${path}`, resource);
    publish(`/.well-known/oauth-authorization-server${path}`, discovery);
    publish(`/.well-known/openid-configuration${path}`, discovery);
  }
  publish(`${OAUTH_PATH}/.well-known/openid-configuration`, discovery);
}

async function serveWith(
  server: AuthorizationRouteParts['server'],
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<FastifyReply> {
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  reply.hijack();
  await server.serve(request.raw, reply.raw, path, createAnonymousCall(request, reply, 'mcp'));
  return reply;
}
