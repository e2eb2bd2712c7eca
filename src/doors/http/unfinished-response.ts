import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

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
export function resetConnection(socket: Socket): void {
  if (socket.destroyed) return;
  // only the socket below a TLS socket can be reset; Node has no public property for it
  const below: unknown = socket instanceof TLSSocket ? Reflect.get(socket, '_parent') : socket;
  if (below instanceof Socket && !below.destroyed) below.resetAndDestroy();
  socket.destroy();
}
