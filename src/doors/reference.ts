import fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Operation } from './http/operation.ts';

/** The reference works offline: its bundle may not load anything from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const PROXIED_HEADERS = ['content-type', 'location', 'etag', 'cache-control', 'last-modified'];

const documentOperation: Operation = {
  id: 'getOpenApiDocument',
  tag: 'Health',
  summary: 'This document',
  credentials: [],
  responses: { 200: z.record(z.string(), z.unknown()) },
  failures: [],
};

/**
 * `/openapi.json`, and `/docs`, which shows it. The viewer is megabytes of script, so it is loaded on first use, in a separate
 * app.
 */
export function registerReference(app: FastifyInstance, openApiDocument: () => unknown): void {
  let document: string | null = null; // made once, as anyone may ask for it
  app.get('/openapi.json', { config: { operation: documentOperation } }, (_request, reply) => {
    document ??= JSON.stringify(openApiDocument());
    return reply.type('application/json; charset=utf-8').send(document);
  });

  let opened: Promise<FastifyInstance> | null = null;
  for (const path of ['/docs', '/docs/*']) {
    app.get(path, async (request, reply) => {
      opened ??= openViewer();
      const { statusCode, headers, rawPayload } = await (await opened).inject({ method: 'GET', url: request.url });
      if (statusCode >= 400) return reply.callNotFound();
      for (const name of PROXIED_HEADERS) if (headers[name] !== undefined) reply.header(name, headers[name]);
      return reply.header('Content-Security-Policy', POLICY).code(statusCode).send(rawPayload);
    });
  }
}

async function openViewer(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const viewer = fastify();
  await viewer.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  await viewer.ready();
  return viewer;
}
