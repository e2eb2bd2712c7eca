import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import cookie from '@fastify/cookie';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { type Config, ConfigError, settings } from '../../config/config.ts';
import { errorCode } from '../../core/error-code.ts';
import { type Failure, FailureError, fieldMissing } from '../../core/errors.ts';
import type { RanVersion } from '../../pipeline/find-query.ts';
import type { Tracing } from '../../pipeline/tracing.ts';
import { freeBytes } from '../../results/byte-writer.ts';
import { createProxyCheck } from './address-check.ts';
import { basePathOf, refuseBasePathOfRoutes, removeBasePath } from './base-path.ts';
import { refuseUnreadable, ResettingResponse } from './connections.ts';
import { sendFailure } from './failure-response.ts';
import { collectOperations } from './openapi.ts';
import { allowOrigin, type Origins } from './origins.ts';

const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;

const strictTransportSecurity = ['strict-transport-security', 'max-age=31536000'] as const; // one year
const securityHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' } as const;

const cors = {
  methods: 'GET, POST, PUT, PATCH, DELETE',
  headers:
    'Authorization, Cache-Control, Content-Type, If-Match, If-None-Match, If-Range, QueryMoreCode, Range, RowIndex, RowSize, X-API-Key',
  exposed:
    'X-Request-Id, X-Result-Incomplete, X-Result-Rows, X-Cache, Age, ETag, Last-Modified, Retry-After, Content-Disposition, Content-Range, Accept-Ranges, X-Query-Version, Deprecation, Sunset, Link',
};

/**
 * The HTTP server without its routes: ids, errors, headers, limits, the OpenAPI document. Call `refuseOtherMethods` after all
 * routes are declared.
 */
export async function createServer({ config, log, origins }: { config: Config; log: FastifyBaseLogger; origins: Origins }) {
  // Node would refuse a request without Host by a response without body and request id
  const responses = { ServerResponse: ResettingResponse, requireHostHeader: false };
  const protocol =
    config.tlsCert === null || config.tlsKey === null
      ? { http: responses }
      : { https: { ...responses, cert: fileOf('tlsCert', config.tlsCert), key: fileOf('tlsKey', config.tlsKey) } };
  const basePath = basePathOf(config.baseUrl);
  const app: FastifyInstance = fastify({
    ...protocol,
    ...(basePath === '' ? {} : { rewriteUrl: ({ url = '/' }: IncomingMessage) => removeBasePath(basePath, url) }),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger, // a child logger per request is expensive; log calls pass the request id
    genReqId: createRequestId,
    bodyLimit: config.bodyLimit,
    requestTimeout: REQUEST_MS,
    routerOptions: { maxParamLength: 2000, caseSensitive: false, ignoreTrailingSlash: true },
    trustProxy: config.trustedProxies.length === 0 ? false : createProxyCheck(config.trustedProxies),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: refuseUnreadable,
    // paths that cannot be decoded or are too long; hooks have not run
    frameworkErrors: (_error, request: FastifyRequest, reply: FastifyReply) => {
      reply.header('X-Request-Id', request.id);
      sendFailure(request, reply, { kind: 'NotFound', what: 'such path' });
    },
  });
  app.server.headersTimeout = HEADERS_MS;
  // the same for an expectation other than 100-continue, which a server may ignore (RFC 9110, 10.1.1)
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  refuseBasePathOfRoutes(app, basePath);

  // routes parse bodies themselves, after checking the credential
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['*', 'application/json'], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.setErrorHandler((error, request, reply) => sendFailure(request, reply, failureOf(error, request)));
  app.setNotFoundHandler((request, reply) => sendFailure(request, reply, { kind: 'NotFound', what: 'such path' }));
  const refuseOtherMethods = registerOtherMethods(app);
  const openApiDocument = collectOperations(app);

  // not async: a promise per hook and request adds up
  app.addHook('onRequest', (request, reply, done) => {
    // Fastify would reject a malformed type before the credential is checked; no route accepts this one
    if (isMalformedType(request.headers['content-type'])) request.raw.headers['content-type'] = 'application/octet-stream';
    reply.header('X-Request-Id', request.id).headers(securityHeaders);
    if (request.protocol === 'https') reply.header(...strictTransportSecurity);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return done(new FailureError(fieldMissing('Host')));
    const { origin } = request.headers;
    if (origin === undefined || !/^\/(?:api|data)\//i.test(request.url) || !origins.isKnown(origin)) return done();
    allowOrigin(request, reply, cors);
    if (request.method !== 'OPTIONS' || request.routeOptions.url?.startsWith('/api/')) return done();
    reply.code(204).send(); // the caller must be able to read that there is no such path
  });

  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  // keep-alive connections would delay the shutdown
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('Connection', 'close');
    done();
  });

  await app.register(cookie, { hook: false }); // parsed on demand by `cookieOf`
  return { app, refuseOtherMethods, openApiDocument, isClosing: () => closing };
}

/** Measures how long requests take, by route and status. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'sluice_http_request_duration_seconds',
    help: 'Duration of HTTP requests by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
    durations.observe({ method, route: routeOptions.url ?? 'unknown', status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
}

function fileOf(name: 'tlsCert' | 'tlsKey', file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`bad value for ${settings[name].env}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Responds to OPTIONS with the methods of a path, and with 405 instead of 404 to other methods. */
function registerOtherMethods(app: FastifyInstance): () => void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const known = methods.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) known.add(method);
    methods.set(route.url, known);
  });
  return () => {
    for (const [url, known] of [...methods]) {
      const allow = [...known];
      const unused = { url, config: { operation: null } };
      if (!known.has('OPTIONS'))
        app.route({ ...unused, method: 'OPTIONS', handler: (request, reply) => sendAllowed(request, reply, allow) });
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !known.has(method));
      if (url.includes('*') || others.length === 0) continue;
      app.route({
        ...unused,
        method: others,
        handler: (request, reply) => sendFailure(request, reply, { kind: 'MethodNotAllowed', allow }),
      });
    }
  };
}

/** The response to OPTIONS; a preflight request of an Origin that is not allowed is refused. */
export function sendAllowed(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): FastifyReply {
  reply.header('Allow', [...methods, 'OPTIONS'].join(', '));
  const isPreflight = request.headers.origin !== undefined && request.headers['access-control-request-method'] !== undefined;
  return isPreflight && !reply.hasHeader('Access-Control-Allow-Origin')
    ? sendFailure(request, reply, { kind: 'OriginNotAllowed' })
    : reply.code(204).send();
}

const isMalformedType = (type: string | undefined): boolean =>
  type !== undefined && type !== 'application/json' && !/^\s*[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/.test(type);

/** Failures of requests that the server could not read, and of bodies before their first byte was sent. */
export function failureOf(error: unknown, { routeOptions }: FastifyRequest): Failure {
  if (error instanceof FailureError) return error.failure;
  const code = errorCode(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { kind: 'PayloadTooLarge', bytes: routeOptions.bodyLimit };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return { kind: 'MediaTypeUnsupported' };
  const status = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status === 403) return { kind: 'NotFound', what: 'such path' }; // of files: it leaves their folder
  if (status >= 400 && status < 500)
    return { kind: 'BodyInvalid', reason: error instanceof Error ? error.message : 'not readable.' };
  return { kind: 'Internal', cause: error };
}

/**
 * UUIDv7 (RFC 9562): the first 48 bits are the time, so consecutive ids are adjacent in the audit trail's index, where random
 * ones would each touch another page.
 */
export function createRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`; // version 4 has the same layout after it
}

/** Sends a body that nothing else uses, and frees its memory as soon as the operating system has it. */
export function sendOnce(reply: FastifyReply, body: string | Buffer): FastifyReply {
  if (typeof body !== 'string') reply.raw.once('finish', () => freeBytes(body));
  return reply.send(body);
}

/** Says which version ran, and of one that the caller named whether there is a later one. `addressOf`: of a query, for callers that have one. */
export function noteVersion(reply: FastifyReply, ran: RanVersion, addressOf?: (name: string) => string): FastifyReply {
  const { supersededAt = null, retiresAt = null } = ran.pin ?? {};
  reply.header('X-Query-Version', String(ran.version));
  if (supersededAt === null) return reply;
  reply.header('Deprecation', `@${Math.floor(supersededAt / 1000)}`);
  if (retiresAt !== null) reply.header('Sunset', new Date(retiresAt).toUTCString());
  if (addressOf === undefined) return reply;
  return reply.header('Link', `<${addressOf(encodeURIComponent(ran.queryName))}>; rel="successor-version"`);
}

export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', ({ id, method, headers: { traceparent } }, _reply, done) => {
    tracing.begin({ id, method, traceparent: typeof traceparent === 'string' ? traceparent : undefined });
    done();
  });
  const end = ({ id, method, routeOptions }: FastifyRequest, status: number): void =>
    tracing.endRequest({ id, method, route: routeOptions.url ?? 'unknown', status });
  app.addHook('onResponse', (request, reply, done) => {
    end(request, reply.statusCode);
    done();
  });
  // the caller disconnected, but the work was done
  app.addHook('onRequestAbort', (request, done) => {
    end(request, 0);
    done();
  });
}
