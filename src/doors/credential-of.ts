import type { FastifyRequest } from 'fastify';
import type { Credential } from '../access/credential.ts';

export const SESSION_COOKIE = 'sluice_session';

/** The credential a request shows: X-API-Key wins over Authorization, and that over the UI's cookie; none falls back to the next. */
export function credentialOf(request: FastifyRequest, options: { cookie: boolean }): Credential {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return { kind: 'key', key };
  const authorization = request.headers.authorization;
  if (authorization !== undefined && authorization !== '') return basicCredential(authorization);
  const sessionId = options.cookie ? request.cookies[SESSION_COOKIE] : undefined;
  return sessionId === undefined || sessionId === '' ? { kind: 'none' } : { kind: 'session', sessionId };
}

function basicCredential(authorization: string): Credential {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization.trim())?.[1];
  if (encoded === undefined) return { kind: 'unreadable' };
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return { kind: 'unreadable' };
  return { kind: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) };
}
