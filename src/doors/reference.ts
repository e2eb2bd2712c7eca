import fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { BasePath } from './http/base-path.ts';
import type { Operation } from './http/operation.ts';

/** The reference works offline: its bundle may not load anything from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The colors of the web interface, see web/app/theme.ts. */
const STYLE = `
.light-mode {
  --scalar-color-1: #18202b; --scalar-color-2: #3a4351; --scalar-color-3: #566070; --scalar-color-accent: #0b6279;
  --scalar-background-1: #fff; --scalar-background-2: #f3f5f8; --scalar-background-3: #e6e9ef; --scalar-background-accent: #dcedf2;
  --scalar-border-color: #d9dee6;
  --scalar-button-1: #0b6279; --scalar-button-1-hover: #0a5063; --scalar-button-1-color: #fff;
  --scalar-color-green: #087f5b; --scalar-color-red: #c92a2a; --scalar-color-yellow: #7a4a00; --scalar-color-blue: #0b6279;
  --scalar-color-orange: #8a3b00; --scalar-color-purple: #5f3dc4;
}
.dark-mode {
  --scalar-color-1: #e6e9ef; --scalar-color-2: #c3c9d2; --scalar-color-3: #a3abb8; --scalar-color-accent: #79bccf;
  --scalar-background-1: #16181d; --scalar-background-2: #1f232a; --scalar-background-3: #2a2f38; --scalar-background-accent: #133642;
  --scalar-border-color: #363d49;
  --scalar-button-1: #0e7c96; --scalar-button-1-hover: #12738c; --scalar-button-1-color: #fff;
  --scalar-color-green: #96f2d7; --scalar-color-red: #ff8787; --scalar-color-yellow: #ffe066; --scalar-color-blue: #79bccf;
  --scalar-color-orange: #ffd8a8; --scalar-color-purple: #b9a6ff;
}
:root { --scalar-radius: 5px; --scalar-radius-lg: 8px; --scalar-radius-xl: 8px; --scalar-font: Inter, system-ui, sans-serif; }
.light-mode, .dark-mode, .light-mode .t-doc__sidebar, .dark-mode .t-doc__sidebar {
  --scalar-sidebar-background-1: #0b3440; --scalar-sidebar-color-1: #fff; --scalar-sidebar-color-2: #d3e4ea;
  --scalar-sidebar-border-color: rgb(255 255 255 / 14%); --scalar-sidebar-item-hover-background: rgb(255 255 255 / 11%);
  --scalar-sidebar-item-hover-color: #fff; --scalar-sidebar-item-active-background: rgb(255 255 255 / 11%);
  --scalar-sidebar-color-active: #fff; --scalar-sidebar-search-background: rgb(255 255 255 / 8%);
  --scalar-sidebar-search-color: #d3e4ea; --scalar-sidebar-search-border-color: rgb(255 255 255 / 14%);
}
.t-doc__sidebar {
  --scalar-color-green: #96f2d7; --scalar-color-red: #ff8787; --scalar-color-yellow: #ffe066; --scalar-color-blue: #79bccf;
  --scalar-color-orange: #ffd8a8; --scalar-color-purple: #b9a6ff;
}
.dark-mode, .dark-mode .t-doc__sidebar { --scalar-sidebar-background-1: #0b2730; }
`;

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
export function registerReference(app: FastifyInstance, basePath: BasePath, openApiDocument: () => unknown): void {
  let document: string | null = null; // made once, as anyone may ask for it
  app.get('/openapi.json', { config: { operation: documentOperation } }, (_request, reply) => {
    document ??= JSON.stringify(openApiDocument());
    return reply.type('application/json; charset=utf-8').send(document);
  });

  let opened: Promise<FastifyInstance> | null = null;
  for (const path of ['/docs', '/docs/*']) {
    app.get(path, async (request, reply) => {
      opened ??= openViewer(basePath);
      const { statusCode, headers, rawPayload } = await (await opened).inject({ method: 'GET', url: basePath + request.url });
      if (statusCode >= 400) return reply.callNotFound();
      for (const name of PROXIED_HEADERS) if (headers[name] !== undefined) reply.header(name, headers[name]);
      return reply.header('Content-Security-Policy', POLICY).code(statusCode).send(rawPayload);
    });
  }
}

async function openViewer(basePath: BasePath): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const viewer = fastify();
  await viewer.register(scalar, {
    routePrefix: `${basePath}/docs`,
    configuration: {
      url: `${basePath}/openapi.json`,
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      favicon: `${basePath}/favicon.svg`,
      theme: 'none',
      customCss: STYLE,
    },
  });
  await viewer.ready();
  return viewer;
}
