import { connect } from 'node:net';
import cookie from '@fastify/cookie';
import fastify, { type FastifyReply, type FastifyRequest, type InjectOptions } from 'fastify';

export type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** A server configured like that of the doors, with bodies as bytes; `handle` responds to every request. */
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

/** The result of `read` for one request. */
export async function readInjected<T>(read: (request: FastifyRequest) => T, sent: InjectOptions): Promise<T> {
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

/** Sends raw bytes over a socket and closes it. */
export async function sendAndLeave(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => socket.write(text, () => resolve()));
  });
  socket.destroy();
}
