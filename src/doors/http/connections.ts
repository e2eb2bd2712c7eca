import type { Server as HttpServer } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';

interface Connection {
  responses: number; // in progress
  sent: number; // bytes whose write is complete
  queued: number; // bytes of the current write that the kernel has not accepted yet
  at: number; // time of the last progress
}

/**
 * Destroys connections with unsent bytes that make no progress for `stallMs`. Only bytes that the client reads count as
 * progress, not bytes that it sends or that are queued for it. Also replaces `closeIdleConnections`, which a server calls when
 * it closes: Node's own destroys responses that are written but not sent yet, and waits for connections that have not sent a
 * request.
 */
export function watchConnections(server: HttpServer | SecureServer, stallMs: number): { stop(): void } {
  const connections = new Map<Socket, Connection>();
  let closing = false;

  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, { responses: 0, sent: 0, queued: 0, at: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.responses++;
    response.once('close', () => {
      connection.responses--;
      if (closing) closeIfIdle(socket, connection);
    });
  });
  server.closeIdleConnections = () => {
    closing = true;
    for (const [socket, connection] of connections) closeIfIdle(socket, connection);
  };

  const timer = setInterval(() => {
    for (const [socket, last] of connections) {
      const sent = socket.bytesWritten - socket.writableLength;
      const queued = queuedBytesOf(socket);
      if (socket.writableLength === 0 || sent > last.sent || queued < last.queued) last.at = performance.now();
      else if (performance.now() - last.at >= stallMs) socket.destroy();
      last.sent = sent;
      last.queued = queued;
    }
  }, stallMs / 6).unref();
  return { stop: () => clearInterval(timer) };
}

/** A request counts once its headers are complete. */
function closeIfIdle(socket: Socket, { responses }: Connection): void {
  if (responses === 0 && socket.writableLength === 0) socket.end(() => socket.destroy());
}

/** A page is a single write, and only the handle knows how much of it is queued. Node's socket timeouts use it too. */
function queuedBytesOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const size = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0;
  return typeof size === 'number' ? size : 0;
}
