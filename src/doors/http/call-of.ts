import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Credential } from '../../access/principal.ts';
import { SESSION_COOKIE } from '../../access/session.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import type { Failure } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { JsonTypes } from '../input/json.ts';
import { sendFailure } from './failure-response.ts';
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

type Handle = (call: Call, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Handles calls with any credential, also the cookie, unless another site may have sent it. */
export const handleCall =
  (channel: Channel, origins: Origins, handle: Handle) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const call = callOf(request, reply, channel, { cookie: true });
    const forgery = forgeryOf(request, call, origins);
    return forgery === null ? handle(call, request, reply) : sendFailure(request, reply, forgery);
  };

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

/**
 * The credential of a request: X-API-Key wins over Authorization, which wins over the session cookie. An invalid one does not
 * fall back to the next.
 */
export function credentialOf(request: FastifyRequest, options: { cookie: boolean }): Credential {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return { kind: 'key', key };
  const authorization = request.headers.authorization;
  if (authorization !== undefined && authorization !== '')
    return bearerCredential(authorization) ?? parseBasicCredential(authorization);
  const sessionId = options.cookie ? cookieOf(request, SESSION_COOKIE) : undefined;
  return sessionId === undefined || sessionId === '' ? { kind: 'none' } : { kind: 'session', sessionId };
}

export function cookieOf({ headers, server }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[name];
}

/** The access token of an AI application that signed its user in. */
export function accessTokenOf({ headers: { authorization = '' } }: FastifyRequest): Credential {
  const token = bearerToken(authorization);
  if (token !== undefined) return { kind: 'accessToken', token };
  return { kind: authorization.trim() === '' ? 'none' : 'unreadable' };
}

const bearerToken = (authorization: string): string | undefined => /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];

function bearerCredential(authorization: string): Credential | null {
  const token = bearerToken(authorization);
  return token === undefined ? null : tokenCredential(token);
}

/** A bearer token is an API key, or a JWT that an application signed for a viewer. */
export const tokenCredential = (token: string): Credential =>
  isJwt(token) ? { kind: 'viewer', token } : { kind: 'key', key: token };

const isJwt = (token: string): boolean => token.split('.', 4).length === 3;

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
