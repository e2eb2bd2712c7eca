import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { z } from 'zod';
import type { Admission } from '../pipeline/limits/admission.ts';
import { sendFailure } from './http/failure-response.ts';
import { nameSchemas, type Operation } from './http/operation.ts';
import type { Origins } from './http/origins.ts';
import { measureRequests } from './http/server.ts';

export interface HealthParts {
  readonly readiness: () => Promise<void>; // rejects with the cause if calls would fail
  readonly admission: Admission;
  readonly connectMetrics: ((own: Registry) => () => Promise<string>) | null; // null: this process has no other workers
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
  { readiness, admission, connectMetrics, metricsToken, origins, isClosing }: HealthParts,
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

  const registry = createRegistry(admission);
  measureRequests(app, registry);
  const readMetrics = connectMetrics?.(registry) ?? (() => registry.metrics());
  app.get('/metrics', { config: { operation: metricsOperation } }, async (request, reply) => {
    const showsToken = hasToken(request, metricsToken);
    if (showsToken === false || (showsToken === null && !isLocal(request)))
      return sendFailure(request, reply, { kind: 'NotFound', what: 'such path' });
    // against DNS rebinding, which would make a web page a local caller; it does not know the token
    const refusal = showsToken === null ? origins.refusalOf(request) : null;
    if (refusal !== null) return sendFailure(request, reply, refusal);
    return reply.type(registry.contentType).send(await readMetrics());
  });
}

function createRegistry(admission: Admission): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'sluice_' });
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
  return registry;
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
