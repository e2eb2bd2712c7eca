import type { FastifyInstance } from 'fastify';
import type { Tracing } from '../../delivery/tracing.ts';

export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers;
    tracing.began({
      id: request.id,
      method: request.method,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    tracing.responded({ id: request.id, method: request.method, route, status: reply.statusCode });
    done();
  });
  // the caller disconnected, but the work was done
  app.addHook('onRequestAbort', (request, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    tracing.responded({ id: request.id, method: request.method, route, status: 0 });
    done();
  });
}
