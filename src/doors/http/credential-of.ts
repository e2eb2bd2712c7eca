import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import type { Credential } from '../../access/credential.ts';

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
