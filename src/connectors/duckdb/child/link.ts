import { Socket } from 'node:net';
import { byteLength, frameHeader, FrameReader, type Signal } from '../../embedded/frames.ts';
import type { Request } from '../protocol.ts';

interface Receiver {
  receive(channel: number, message: Request | Signal): void;
  /** The service has closed the socket. */
  onClosed(): Promise<void>;
}

/** The socket to the service. */
export class Link {
  readonly #socket = new Socket({ fd: 3, readable: true, writable: true });

  constructor({ receive, onClosed: closed }: Receiver) {
    const reader = new FrameReader(({ channel, payload }) => {
      receive(channel, JSON.parse(payload.toString())); // written by our own code
    });
    this.#socket.on('data', (chunk) => reader.read(chunk));
    this.#socket.on('end', () => void closed());
    this.#socket.on('error', () => {}); // the service has ended, and this process ends with it
  }

  sendJson(channel: number, type: number, content: unknown): void {
    this.send(channel, type, [Buffer.from(JSON.stringify(content))]);
  }

  /** The parts may be overwritten afterwards. */
  send(channel: number, type: number, parts: readonly Uint8Array[]): void {
    this.#socket.write(Buffer.concat([frameHeader(type, channel, byteLength(parts)), ...parts]));
  }
}
