import type { FastifyRequest } from 'fastify';
import type { Credential } from '../../access/credential.ts';
import { byDeclaredNames } from './argument.ts';

/** Whether a header carries a key, valid or not; the model does not need one then. */
export const hasKeyHeader = (request: FastifyRequest): boolean => headerKey(request) !== null;

/** The key of a call: the argument, or a header if it is absent. Other credentials of the request are ignored. */
export function keyOf(request: FastifyRequest, sent: Readonly<Record<string, unknown>>): Credential {
  const argument = byDeclaredNames(sent, ['apiKey']).apiKey;
  if (typeof argument === 'string') return argument === '' ? { kind: 'none' } : { kind: 'key', key: argument };
  if (argument !== undefined && argument !== null) return { kind: 'unreadable' };
  const key = headerKey(request);
  return key === null ? { kind: 'none' } : { kind: 'key', key };
}

function headerKey({ headers }: FastifyRequest): string | null {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  const bearer = /^bearer(?:\s+(.*))?$/i.exec(headers.authorization?.trim() ?? '');
  return bearer === null ? null : (bearer[1] ?? '');
}
