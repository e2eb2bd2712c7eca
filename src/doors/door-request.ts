import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** As much of a request as it takes to read a call. Those of the framework are such, and those of the express lane. */
export type DoorRequest = Pick<FastifyRequest, 'id' | 'headers' | 'ip' | 'body' | 'log' | 'socket' | 'server'>;

export interface DoorReply {
  /** Aborts where the caller leaves before the answer. Those of the framework have none: their `raw` tells it. */
  readonly left?: AbortSignal;
  readonly raw?: ServerResponse;
  /** Calls `work` when the response has been sent or the caller has left; those of the framework have none either. */
  readonly onEnd?: (work: () => void) => void;
  code(status: number): DoorReply;
  header(name: string, value: string): DoorReply;
  type(contentType: string): DoorReply;
  send(body?: string | Buffer): DoorReply;
}
