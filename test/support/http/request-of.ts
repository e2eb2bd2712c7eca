import { connect } from 'node:net';
import cookie from '@fastify/cookie';
import fastify, { type FastifyReply, type FastifyRequest, type InjectOptions } from 'fastify';

export type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** A server as the doors have it: bodies arrive as bytes. Whatever is called, `handle` answers. */
export async function serverWith(handle: Handle, options: { trustProxy?: string[] } = {}) {
  const app = fastify(options);
  await app.register(cookie);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.all('/*', async (request, reply) => {
    const response = await handle(request, reply);
    return reply.sent ? reply : reply.send({ response });
  });
  return app;
}

/** What `read` makes of one request. */
export async function readOf<T>(read: (request: FastifyRequest) => T, sent: InjectOptions): Promise<T> {
  let result: { value: T } | undefined;
  const app = await serverWith((request) => {
    result = { value: read(request) };
    return null;
  });
  await app.inject({ method: 'POST', url: '/', ...sent });
  await app.close();
  if (result === undefined) throw new Error('the request did not arrive');
  return result.value;
}

/** Bytes as they are, over a socket, that is then cut. */
export async function sendAndLeave(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => socket.write(text, () => resolve()));
  });
  socket.destroy();
}
