import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { contentCodingOf } from '../http/content-coding.ts';
import { sendFailure } from '../http/failure-response.ts';

/** The script of embed pages, held in memory; its file name contains a hash of its content. */
export interface EmbedBundle {
  readonly name: string; // 'embed-3f9a2c1b.js'
  readonly bytes: Buffer;
  readonly compressed: Readonly<Partial<Record<'br' | 'gzip', Buffer>>>;
}

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'dist', 'embed');

/** Null if it was not built: charts are then static pictures without tools. */
export function readEmbedBundle(folder = FOLDER): EmbedBundle | null {
  const manifest = contentOf(join(folder, '.vite', 'manifest.json'));
  const name = manifest === null ? null : entryOf(manifest.toString());
  const bytes = name === null ? null : contentOf(join(folder, name));
  if (name === null || bytes === null) return null;
  const [br, gzip] = [contentOf(join(folder, `${name}.br`)), contentOf(join(folder, `${name}.gz`))];
  return { name, bytes, compressed: { ...(br === null ? {} : { br }), ...(gzip === null ? {} : { gzip }) } };
}

/** Cached without limit: changed content gets another name. */
export function registerEmbedBundle(app: FastifyInstance, bundle: EmbedBundle): void {
  app.get('/embed/:name', { schema: { hide: true } }, (request, reply) => {
    if (request.url.split('?')[0] !== `/embed/${bundle.name}`)
      return sendFailure(request, reply, { kind: 'NotFound', what: 'such path' });
    const coding = contentCodingOf(request.headers['accept-encoding']?.replace(/\bzstd\b/gi, 'x-zstd'));
    const body = coding === 'br' || coding === 'gzip' ? bundle.compressed[coding] : undefined;
    if (body !== undefined && coding !== null) reply.header('Content-Encoding', coding);
    return reply
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .header('Cross-Origin-Resource-Policy', 'cross-origin') // embed pages are sandboxed and have an opaque origin
      .header('Vary', 'Accept-Encoding')
      .type('text/javascript; charset=utf-8')
      .send(body ?? bundle.bytes);
  });
}

function entryOf(manifest: string): string | null {
  const entries: unknown[] = Object.values(JSON.parse(manifest));
  for (const entry of entries) {
    const isEntry = typeof entry === 'object' && entry !== null && 'isEntry' in entry && entry.isEntry === true;
    if (isEntry && 'file' in entry && typeof entry.file === 'string') return entry.file;
  }
  return null;
}

function contentOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}
