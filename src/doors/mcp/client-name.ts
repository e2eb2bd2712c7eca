import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { isObject } from '../http/sent-parameters.ts';

const MAX_LENGTH = 300;

/** Whom the audit trail names as the client of a call. */
export interface ClientNames {
  /** Remembers what a client says of itself in `initialize`. */
  introduced(request: FastifyRequest, clientInfo: unknown): void;
  nameOf(request: FastifyRequest): string | null;
}

/**
 * There are no sessions: the name given in `initialize` counts for later calls on the same connection, where no proxy stands between
 * (it would mix the calls of several clients on one). Otherwise the User-Agent counts.
 */
export function createClientNames(): ClientNames {
  const introduced = new WeakMap<Socket, string>();
  return {
    introduced(request, clientInfo) {
      const name = written(clientInfo);
      if (name !== null && !isForwarded(request)) introduced.set(request.socket, name);
    },
    nameOf: (request) =>
      (isForwarded(request) ? undefined : introduced.get(request.socket)) ??
      request.headers['user-agent']?.slice(0, MAX_LENGTH) ??
      null,
  };
}

function written(clientInfo: unknown): string | null {
  if (!isObject(clientInfo) || typeof clientInfo.name !== 'string' || clientInfo.name === '') return null;
  const version = typeof clientInfo.version === 'string' ? `/${clientInfo.version}` : '';
  return `${clientInfo.name}${version}`.replace(/[\p{Cc}\p{Cs}]/gu, '').slice(0, MAX_LENGTH);
}

const isForwarded = ({ headers }: FastifyRequest): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers.via !== undefined;
