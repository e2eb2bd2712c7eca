import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { isObject } from '../input/fields.ts';

const MAX_LENGTH = 300;

/**
 * Determines the client name for the audit trail: that of the request, if it has one. There are no sessions: the name sent in `initialize` applies to later calls on
 * the same connection, unless a proxy shares the connection between clients. Otherwise the User-Agent is used.
 */
export class ClientNames {
  readonly #introduced = new WeakMap<Socket, string>();

  /** Remembers the `clientInfo` of `initialize`. */
  introduced(request: FastifyRequest, clientInfo: unknown): void {
    const name = written(clientInfo);
    if (name !== null && !isForwarded(request)) this.#introduced.set(request.socket, name);
  }

  nameOf(request: FastifyRequest, clientInfo: unknown): string | null {
    const named = clientInfo === undefined ? null : written(clientInfo);
    if (named !== null) return named;
    const introduced = isForwarded(request) ? undefined : this.#introduced.get(request.socket);
    return introduced ?? request.headers['user-agent']?.slice(0, MAX_LENGTH) ?? null;
  }
}

function written(clientInfo: unknown): string | null {
  if (!isObject(clientInfo) || typeof clientInfo.name !== 'string' || clientInfo.name === '') return null;
  const version = typeof clientInfo.version === 'string' ? `/${clientInfo.version}` : '';
  return `${clientInfo.name}${version}`.replace(/[\p{Cc}\p{Cs}]/gu, '').slice(0, MAX_LENGTH);
}

const isForwarded = ({ headers }: FastifyRequest): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers.via !== undefined;
