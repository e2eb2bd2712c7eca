import fastify, { type FastifyInstance } from 'fastify';
import { undocumented } from './http/openapi.ts';

/** The reference works offline: its bundle may not load anything from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const PROXIED_HEADERS = ['content-type', 'location', 'etag', 'cache-control', 'last-modified'];

/** `/docs` shows the OpenAPI document. The viewer is megabytes of script, so it is loaded on first use, in a separate app. */
export function registerReference(app: FastifyInstance): void {
  let opened: Promise<FastifyInstance> | null = null;
  for (const path of ['/docs', '/docs/*']) {
    app.get(path, undocumented, async (request, reply) => {
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
