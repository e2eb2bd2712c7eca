import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Credential } from '../../access/credential.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import type { Failure } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import { credentialOf } from './credential-of.ts';
import type { JsonTypes } from './json-body.ts';
import type { Origins } from './origins.ts';

/**
 * Converts a request to a Call of the pipeline. The session cookie is accepted only where it cannot be forged by another site:
 * not on GET (`cookie: false`), and with an allowed Origin.
 */
export const callOf = (
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'raw'>,
  channel: Channel,
  options: { cookie: boolean },
): Call => callWith(credentialOf(request, options), request, reply, channel);

/** For doors that read the credential themselves. */
export function callWith(
  credential: Credential,
  request: FastifyRequest,
  { raw }: Pick<FastifyReply, 'raw'>,
  channel: Channel,
): Call {
  return {
    requestId: request.id,
    channel: credential.kind === 'session' && channel !== 'management' ? 'ui' : channel,
    credential,
    address: request.ip ?? '', // a closed socket has no address
    client: request.headers['user-agent']?.slice(0, 300) ?? null,
    startedAt: Date.now(),
    signal: signalDisconnect(raw),
    onEnd: (work) => runAtEnd(raw, work),
  };
}

/** For callers that authenticate in another way, or not at all. */
export const createAnonymousCall = (request: FastifyRequest, reply: FastifyReply, channel: Channel): Call =>
  callWith({ kind: 'none' }, request, reply, channel);

/** Another site may have sent a call with the cookie. */
export const forgeryOf = (request: FastifyRequest, call: Call, origins: Origins): Failure | null =>
  call.credential.kind === 'session' ? origins.refusalOf(request) : null;

/** Another site can send the cookie with a form, but not `application/json`. */
export const jsonTypesOf = ({ credential }: Call): JsonTypes => (credential.kind === 'session' ? 'json' : 'any json');

function signalDisconnect(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort(); // disconnected while the body was read
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

function runAtEnd(response: ServerResponse, work: () => void): void {
  if (response.destroyed || response.closed) work();
  else response.once('close', work);
}
