import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A call without the restrictions and additions of `fetch`: any Host, no Sec-Fetch headers, any bytes. */
export function sendRaw(
  url: string,
  { path, ...call }: { method: string; path: string; headers?: Record<string, string>; body?: string | Uint8Array },
): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, path, method: call.method, headers: call.headers }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(pieces).toString() });
    });
    sent.on('error', reject);
    sent.end(call.body);
  });
}

/** Sends raw bytes and returns everything until the connection is closed. */
export function sendRawBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}

export interface Received {
  /** `reset` by RST, which no client can take for the end of a body; `closed` by FIN. */
  readonly ended: 'reset' | 'closed';
  readonly text: string;
}

export interface RawConnection {
  readonly socket: Socket;
  /** Resolves with the first bytes of a response, which leaves the connection paused. */
  readonly firstBytes: Promise<unknown>;
  /** Reads on and resolves when the connection has ended. */
  receive(): Promise<Received>;
}

/** Sends raw bytes and reads no more than the first of a response. */
export function openRaw(url: string, bytes: string): RawConnection {
  const { protocol, hostname: host, port } = new URL(url);
  const to = { host, port: Number(port), allowHalfOpen: true };
  const socket = protocol === 'https:' ? connectSecurely({ ...to, rejectUnauthorized: false }) : connect(to);
  socket.write(bytes);
  let text = '';
  let isRead = false;
  const firstBytes = new Promise((resolve) => socket.once('data', resolve));
  const over = new Promise<Received['ended']>((resolve, reject) => {
    socket.once('end', () => resolve('closed'));
    socket.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve('reset') : reject(error)));
  });
  socket.on('data', (piece) => {
    if (!isRead) socket.pause();
    text += piece.toString('latin1');
  });
  return {
    socket,
    firstBytes,
    async receive() {
      isRead = true;
      socket.resume();
      const ended = await over;
      socket.destroy();
      return { ended, text };
    },
  };
}
