import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server as HttpServer, ServerResponse, STATUS_CODES } from 'node:http';
import { Server as SecureServer } from 'node:https';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ActiveSet } from '../../core/concurrency/active-set.ts';
import type { Failure } from '../../core/errors.ts';
import { problemOf } from './failure-response.ts';

interface Connection {
  readonly responses: ActiveSet<ServerResponse>; // in progress
  sent: number; // bytes whose write is complete
  queued: number; // bytes of the current write that the kernel has not accepted yet
  at: number; // time of the last progress
}

export interface Connections {
  /** Closes all connections immediately; resets those whose responses are incomplete. */
  cutOff(): void;
  stop(): void;
}

/**
 * Resets connections with unsent bytes that make no progress for `stallMs`. Only bytes that the client reads count as
 * progress, not bytes that it sends or that are queued for it. Also resets connections that Node would close properly in the
 * middle of a response. Replaces `closeIdleConnections`, which a server calls when it closes: Node's own destroys responses that
 * are written but not sent yet, and waits for connections that have not sent a request.
 */
export function watchConnections(server: HttpServer | SecureServer, stallMs: number): Connections {
  const connections = new Map<Socket, Connection>();
  let closing = false;

  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    const connection: Connection = { responses: new ActiveSet(), sent: 0, queued: 0, at: performance.now() };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    // the client sends no more: Node would send FIN after the bytes that are queued
    socket.prependListener('end', () => resetIfCut(socket, connection));
  });
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.responses.add(response);
    response.once('close', () => {
      connection.responses.remove(response);
      if (closing) closeIfIdle(socket, connection);
    });
  });
  // bytes that are not HTTP, while the response to an earlier request is sent: an error response would become part of its body
  server.prependListener('clientError', (_error, socket: Socket) => resetIfCut(socket, connections.get(socket)));
  server.closeIdleConnections = () => {
    closing = true;
    for (const [socket, connection] of connections) closeIfIdle(socket, connection);
  };

  const timer = setInterval(() => {
    for (const [socket, last] of connections) {
      const sent = socket.bytesWritten - socket.writableLength;
      const queued = queuedBytesOf(socket);
      if (socket.writableLength === 0 || sent > last.sent || queued < last.queued) last.at = performance.now();
      else if (performance.now() - last.at >= stallMs) resetConnection(socket);
      last.sent = sent;
      last.queued = queued;
    }
  }, stallMs / 6).unref();

  const cutOff = (): void => {
    for (const [socket, connection] of connections) {
      if (isIdle(socket, connection)) socket.destroy();
      else resetConnection(socket);
    }
  };
  process.on('exit', cutOff); // the operating system would close the connections of a process that ends properly
  return {
    cutOff,
    stop() {
      clearInterval(timer);
      process.off('exit', cutOff);
    },
  };
}

/** A request counts once its headers are complete. */
const isIdle = (socket: Socket, { responses }: Connection): boolean => responses.size === 0 && socket.writableLength === 0;

function closeIfIdle(socket: Socket, connection: Connection): void {
  if (isIdle(socket, connection)) socket.end(() => socket.destroy());
}

/** A response whose end is written already is not cut: its bytes are sent before FIN. */
function resetIfCut(socket: Socket, connection: Connection | undefined): void {
  for (const { headersSent, writableEnded } of connection?.responses.list() ?? []) {
    if (headersSent && !writableEnded) return resetConnection(socket);
  }
}

/** A page is a single write, and only the handle knows how much of it is queued. Node's socket timeouts use it too. */
function queuedBytesOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const size = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0;
  return typeof size === 'number' ? size : 0;
}

/**
 * Resets the connection when it is destroyed before its end, however that happens: by a stream that fails, by Fastify or by a
 * route. Without a declared length and without chunks, as in HTTP/1.0, a connection that is closed properly would mark the end
 * of a complete body.
 */
export class ResettingResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  override destroy(error?: Error): this {
    if (!this.writableFinished && this.socket !== null) resetConnection(this.socket);
    return super.destroy(error);
  }
}

/** Sends RST instead of FIN, and no `close_notify` of TLS. Bytes that are not sent yet are discarded. */
function resetConnection(socket: Socket): void {
  if (socket.destroyed) return;
  // only the socket below a TLS socket can be reset; Node has no public property for it
  const below: unknown = socket instanceof TLSSocket ? Reflect.get(socket, '_parent') : socket;
  if (below instanceof Socket && !below.destroyed) below.resetAndDestroy();
  socket.destroy();
}

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
