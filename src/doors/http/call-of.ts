import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Credential } from '../../access/principal.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import type { Failure } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { JsonTypes } from '../input/json.ts';
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

export const SESSION_COOKIE = 'sluice_session';

/**
 * The credential of a request: X-API-Key wins over Authorization, which wins over the session cookie. An invalid one does not
 * fall back to the next.
 */
export function credentialOf(request: FastifyRequest, options: { cookie: boolean }): Credential {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return { kind: 'key', key };
  const authorization = request.headers.authorization;
  if (authorization !== undefined && authorization !== '') return bearerKey(authorization) ?? parseBasicCredential(authorization);
  const sessionId = options.cookie ? cookieOf(request, SESSION_COOKIE) : undefined;
  return sessionId === undefined || sessionId === '' ? { kind: 'none' } : { kind: 'session', sessionId };
}

export function cookieOf({ headers, server }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[name];
}

function bearerKey(authorization: string): Credential | null {
  const key = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
  return key === undefined ? null : { kind: 'key', key };
}

function parseBasicCredential(authorization: string): Credential {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization.trim())?.[1];
  if (encoded === undefined) return { kind: 'unreadable' };
  const bytes = Buffer.from(encoded, 'base64');
  // some clients still send Latin-1, which RFC 2617 left open
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  const colon = text.indexOf(':');
  if (colon < 0) return { kind: 'unreadable' };
  return { kind: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) };
}
