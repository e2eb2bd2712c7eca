import type { FastifyRequest } from 'fastify';
import { isObject } from '../input/fields.ts';

const MAX_LENGTH = 300;

/**
 * The client name for the audit trail: that of the request's `_meta`, otherwise its User-Agent. The name in `initialize` says nothing
 * about later calls on the same connection: a proxy shares connections between clients, and not every proxy adds a header.
 */
export const clientNameOf = ({ headers }: FastifyRequest, clientInfo: unknown): string | null =>
  formatClient(clientInfo) ?? headers['user-agent']?.slice(0, MAX_LENGTH) ?? null;

function formatClient(clientInfo: unknown): string | null {
  if (!isObject(clientInfo) || typeof clientInfo.name !== 'string' || clientInfo.name === '') return null;
  const version = typeof clientInfo.version === 'string' ? `/${clientInfo.version}` : '';
  return `${clientInfo.name}${version}`.slice(0, MAX_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, '');
}
