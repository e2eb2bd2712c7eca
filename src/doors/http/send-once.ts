import type { FastifyReply } from 'fastify';
import { freeBytes } from '../../results/byte-writer.ts';

/** Sends a body that nothing else uses, and frees its memory as soon as the operating system has it. */
export function sendOnce(reply: FastifyReply, body: string | Buffer): FastifyReply {
  if (typeof body !== 'string') reply.raw.once('finish', () => freeBytes(body));
  return reply.send(body);
}
