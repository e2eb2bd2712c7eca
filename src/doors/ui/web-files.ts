import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFailure } from '../http/failure-response.ts';

/** Where Vite puts the pages, see src/commands/build-assets.ts. */
const builtPages = join(import.meta.dirname, '..', '..', '..', 'dist', 'web');

/**
 * Scripts only from our own files. Styles may stand inline: the components and the charts set them as they draw, and with nothing to be
 * fetched from elsewhere a style can carry nothing out. Frames are the previews of our own embeds; nobody frames us.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** First steps of paths that are not the UI's: what is not found there is no page. */
const notPages = new Set(['api', 'mcp', 'docs', 'openapi.json', 'livez', 'readyz', 'metrics', 'assets']);

/** The UI: hashed files that never change, and one page for all the addresses that its router knows. */
export async function registerWebFiles(app: FastifyInstance, folder = builtPages): Promise<void> {
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: '1y',
    schemaHide: true,
  });
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const html = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
    if (html === null) return sendFailure(request, reply, { kind: 'NotFound', what: 'web interface here: it is not built' });
    return reply
      .header('Cache-Control', 'no-cache')
      .header('Content-Security-Policy', POLICY)
      .header('X-Frame-Options', 'DENY')
      .type('text/html; charset=utf-8')
      .send(html);
  };
  const hidden = { schema: { hide: true } };
  for (const [name, type] of Object.entries(publicFiles)) {
    app.get(`/${name}`, hidden, async (request, reply) => {
      const text = await readFile(join(folder, name), 'utf8').catch(() => null);
      if (text === null) return sendFailure(request, reply, { kind: 'NotFound', what: 'such file' });
      return reply.header('Cache-Control', 'no-cache').type(type).send(text);
    });
  }
  app.get('/', hidden, page);
  app.get('/*', hidden, (request, reply) =>
    isPage(request) ? page(request, reply) : sendFailure(request, reply, { kind: 'NotFound', what: 'such path' }),
  );
}

/** Files without a hash in their name. */
const publicFiles = { 'color-scheme.js': 'text/javascript; charset=utf-8', 'favicon.svg': 'image/svg+xml' };

function isPage({ url, headers }: FastifyRequest): boolean {
  const [, first = ''] = url.split(/[/?#]/);
  return !notPages.has(first) && headers.accept?.includes('text/html') === true;
}
