import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

type Done = (error: Error | null, body?: Buffer) => void;

/** Content type parser that returns the body as bytes, at a fraction of the cost of Fastify's own. */
export function readBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage, done: Done): void {
  const { bodyLimit } = routeOptions;
  if (Number(headers['content-length']) > bodyLimit) {
    done(new BodyTooLargeError(bodyLimit));
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  let over = false;
  const end = (error: Error | null): void => {
    if (over) return;
    over = true;
    if (error === null) done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length));
    else done(error);
  };
  payload.on('data', (chunk: Buffer) => {
    if (over) return;
    length += chunk.length;
    if (length > bodyLimit) end(new BodyTooLargeError(bodyLimit));
    else chunks.push(chunk);
  });
  payload.on('end', () => end(null));
  payload.on('error', (cause) => end(new BodyBrokenError(cause)));
}

/** The caller disconnected while sending the body. */
export class BodyBrokenError extends Error {
  constructor(cause: unknown) {
    super('The body is incomplete.', { cause });
    this.name = 'BodyBrokenError';
  }
}

export class BodyTooLargeError extends Error {
  readonly bytes: number; // that are allowed

  constructor(bytes: number) {
    super('The body is too large.');
    this.name = 'BodyTooLargeError';
    this.bytes = bytes;
  }
}
