import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BasePath } from '../http/base-path.ts';
import { sendFailure } from '../http/failure-response.ts';
import { sendAllowed } from '../http/server.ts';

/** The output of Vite, see src/commands/build-assets.ts. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', 'dist', 'web');

/**
 * Scripts from our own files only. Inline styles are allowed because components and charts set them; as nothing can be loaded
 * from elsewhere, they cannot leak data. Frames show previews of embeds; the pages themselves cannot be framed.
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

/** Options for files with a hash in their name: cached without limit, because changed content gets another name. */
export const hashedFiles = {
  decorateReply: false,
  preCompressed: true,
  index: false,
  dotfiles: 'ignore',
  immutable: true,
  maxAge: '1y',
} as const;

/** First path segments that do not belong to the web interface: unknown paths below them are not pages. */
const notPages = new Set(['.well-known', 'api', 'mcp', 'docs', 'openapi.json', 'livez', 'readyz', 'metrics', 'assets']);

/** The web interface: immutable hashed files, and one page for all paths of its router, which gets the base path of its addresses. */
export async function registerWebFiles(app: FastifyInstance, basePath: BasePath): Promise<void> {
  await app.register(fastifyStatic, { root: join(FOLDER, 'assets'), prefix: '/assets/', ...hashedFiles });
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const html = await readFile(join(FOLDER, 'index.html'), 'utf8').catch(() => null);
    if (html === null) return sendFailure(request, reply, { kind: 'NotFound', what: 'web interface here: it is not built' });
    return reply
      .header('Cache-Control', 'no-cache')
      .header('Content-Security-Policy', POLICY)
      .header('X-Frame-Options', 'DENY')
      .headers(isConsentPage(request) ? { 'Document-Policy': 'force-load-at-top' } : {})
      .type('text/html; charset=utf-8')
      .send(html.replaceAll('="./', `="${basePath}/`));
  };
  for (const [name, type] of Object.entries(publicFiles)) {
    app.get(`/${name}`, async (request, reply) => {
      const text = await readFile(join(FOLDER, name), 'utf8').catch(() => null);
      if (text === null) return sendFailure(request, reply, { kind: 'NotFound', what: 'such file' });
      return reply.header('Cache-Control', 'no-cache').type(type).send(text);
    });
  }
  app.get('/', page);
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(request, reply, { kind: 'NotFound', what: 'such path' });
  app.get('/*', (request, reply) =>
    mayBePage(request) && acceptsPages(request) ? page(request, reply) : sendNotFound(request, reply),
  );
  app.options('/*', (request, reply) =>
    mayBePage(request) ? sendAllowed(request, reply, ['GET', 'HEAD']) : sendNotFound(request, reply),
  );
}

/** Files without a hash in their name. */
const publicFiles = { 'color-scheme.js': 'text/javascript; charset=utf-8', 'favicon.svg': 'image/svg+xml' };

function mayBePage({ url }: FastifyRequest): boolean {
  const [, first = ''] = url.split(/[/?#]/);
  return !notPages.has(first.toLowerCase());
}

/** A fragment of the address must not scroll past the question of this page, see docs/adr/0081-consent-is-given-on-a-page-of-its-own.md. */
const isConsentPage = ({ url }: FastifyRequest): boolean => /^\/connect\//i.test(url);

const acceptsPages = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true;
