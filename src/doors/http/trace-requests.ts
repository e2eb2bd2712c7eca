import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Tracing } from '../../pipeline/tracing.ts';

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
