import type { FastifyRequest } from 'fastify';
import type { Credential } from '../../access/credential.ts';
import { byDeclaredNames } from './argument.ts';

/** Whether a header brings a key, valid or not: then the model need not know one. */
export const hasKeyHeader = (request: FastifyRequest): boolean => headerKey(request) !== null;

/** The key of a call: the argument, and only where that is absent a header. Nothing else of the request counts as a credential. */
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
