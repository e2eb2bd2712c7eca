import type { Server as HttpServer } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { LaneClock } from './express-lane.ts';

interface Progress {
  sent: number; // bytes whose write is complete
  queued: number; // bytes of the write under way that the system has not accepted yet
  at: number;
}

/**
 * Destroys connections that have unsent bytes and send none of them for `stallMs`. Only what the client reads counts as progress: neither what
 * it sends meanwhile nor what is written to the connection behind the bytes that it does not read.
 */
export function cutOffStalled(server: HttpServer | SecureServer, stallMs: number, clock: LaneClock): () => void {
  const connections = new Map<Socket, Progress>();
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, { sent: 0, queued: 0, at: clock.now() });
    socket.once('close', () => connections.delete(socket));
  });
  return clock.every(stallMs / 6, () => {
    for (const [socket, last] of connections) {
      const sent = socket.bytesWritten - socket.writableLength;
      const queued = queuedBytesOf(socket);
      if (socket.writableLength === 0 || sent > last.sent || queued < last.queued) last.at = clock.now();
      else if (clock.now() - last.at >= stallMs) socket.destroy();
      last.sent = sent;
      last.queued = queued;
    }
  });
}

/** A page is one write. How much of it is still queued only the handle knows; Node's own socket time-outs look there too. */
function queuedBytesOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const size = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0;
  return typeof size === 'number' ? size : 0;
}
