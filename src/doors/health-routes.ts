import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import type { Admission } from '../pipeline/limits/admission.ts';
import { sendFailure } from './http/failure-response.ts';
import { nameSchemas, type Operation } from './http/operation.ts';
import type { Origins } from './http/origins.ts';

export interface HealthParts {
  readonly readiness: () => Promise<void>; // rejects with the cause if calls would fail
  readonly admission: Admission;
  readonly metricsToken: string | null;
  readonly origins: Origins;
  readonly isClosing: () => boolean;
}

const statusResponse = z.object({ status: z.literal('ok') });
nameSchemas({ HealthStatus: statusResponse });

const livenessOperation: Operation = {
  id: 'getLiveness',
  tag: 'Health',
  summary: 'The process is alive',
  credentials: [],
  responses: { 200: statusResponse },
  failures: [],
  example: { response: { status: 'ok' } },
};
const readinessOperation: Operation = {
  id: 'getReadiness',
  tag: 'Health',
  summary: 'The metadata store and the space for results can be written',
  credentials: [],
  responses: { 200: statusResponse },
  failures: ['ShuttingDown', 'StoreUnavailable'],
  example: { response: { status: 'ok' } },
};
const metricsOperation: Operation = {
  id: 'getMetrics',
  tag: 'Health',
  summary: 'Prometheus metrics, for loopback addresses or with the metrics token',
  credentials: ['none', 'metricsToken'],
  responses: { 200: { description: 'The metrics.', content: { 'text/plain': z.string() } } },
  failures: ['NotFound', 'OriginNotAllowed'],
};

export function registerHealthRoutes(
  app: FastifyInstance,
  { readiness, admission, metricsToken, origins, isClosing }: HealthParts,
): void {
  app.get('/livez', { config: { operation: livenessOperation } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { config: { operation: readinessOperation } }, async (request, reply) => {
    if (isClosing()) return sendFailure(request, reply, { kind: 'ShuttingDown', cause: null });
    try {
      await readiness();
      return { status: 'ok' };
    } catch (cause) {
      return sendFailure(request, reply, { kind: 'StoreUnavailable', cause });
    }
  });

  const { registry, observe } = metrics(admission);
  app.addHook('onResponse', (request, reply, done) => {
    observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime);
    done();
  });
  app.get('/metrics', { config: { operation: metricsOperation } }, async (request, reply) => {
    const showsToken = hasToken(request, metricsToken);
    if (showsToken === false || (showsToken === null && !isLocal(request)))
      return sendFailure(request, reply, { kind: 'NotFound', what: 'such path' });
    // against DNS rebinding, which would make a web page a local caller; it does not know the token
    const refusal = showsToken === null ? origins.refusalOf(request) : null;
    if (refusal !== null) return sendFailure(request, reply, refusal);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function metrics(admission: Admission) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'sluice_' });
  const durations = new Histogram({
    name: 'sluice_http_request_duration_seconds',
    help: 'Duration of HTTP requests by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('sluice_queries_running', 'Queries in flight', () => admission.counts().running);
  gauge('sluice_queries_waiting', 'Calls waiting for admission', () => admission.counts().waiting);
  // cached, because looking one up by its labels costs more than observing
  const observed = new Map<string, { observe(seconds: number): void }>();
  const observe = (method: string, route: string, status: number, ms: number): void => {
    const name = `${status} ${method} ${route}`;
    const known = observed.get(name) ?? durations.labels({ method, route, status });
    observed.set(name, known);
    known.observe(ms / 1000);
  };
  return { registry, observe };
}

/** Null if no token was sent or configured. */
function hasToken(request: FastifyRequest, token: string | null): boolean | null {
  const sent = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === null || sent === undefined) return null;
  const [a, b] = [Buffer.from(sent), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isLocal(request: FastifyRequest): boolean {
  const address = request.socket.remoteAddress ?? '';
  // a local proxy forwards remote callers
  const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
  return !forwarded && (address === '::1' || address.replace(/^::ffff:/, '').startsWith('127.'));
}
