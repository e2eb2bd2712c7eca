import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { hashedFiles } from '../ui/web-files.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'dist', 'embed');

/** The file name of the script of embed pages, which contains a hash of its content; null if it was not built. */
export function embedScript(): string | null {
  const manifest = join(FOLDER, '.vite', 'manifest.json');
  if (!existsSync(manifest)) return null;
  const entries: { file: string; isEntry?: boolean }[] = Object.values(JSON.parse(readFileSync(manifest, 'utf8')));
  return entries.find(({ isEntry }) => isEntry === true)?.file ?? null;
}

export function registerEmbedScript(app: FastifyInstance): void {
  app.register(async (scope) => {
    // the plugin would send application/javascript
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.statusCode === 200) reply.type('text/javascript; charset=utf-8');
    });
    // embed pages are sandboxed and have an opaque origin
    const setHeaders = (reply: FastifyReply) => reply.header('Cross-Origin-Resource-Policy', 'cross-origin');
    await scope.register(fastifyStatic, { root: FOLDER, prefix: '/embed/', ...hashedFiles, setHeaders });
  });
}
