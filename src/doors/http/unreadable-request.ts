import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Failure } from '../../core/errors.ts';
import { problemOf } from './failure-response.ts';

/** Responds to bytes that could not be parsed as HTTP like to every other failure: with a problem and a request id. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const problem = problemOf(failureOf(error.code), requestId);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function failureOf(code: string | undefined): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') return { kind: 'PayloadTooLarge' };
  const reason = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'it did not arrive in time.' : 'the request is not HTTP.';
  return { kind: 'BodyInvalid', reason };
}
