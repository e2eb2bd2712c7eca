import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A call without the restrictions and additions of `fetch`: any Host, no Sec-Fetch headers, any bytes. */
export function rawCall(
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
export function rawBytes(url: string, bytes: string): Promise<string> {
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
