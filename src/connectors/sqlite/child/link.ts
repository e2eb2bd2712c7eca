import { readSync, writeSync } from 'node:fs';
import { byteLength, type Frame, frameHeader, FrameReader, type Signal } from '../../embedded/frames.ts';
import type { Request } from '../protocol.ts';

const socket = 3;

const chunk = Buffer.allocUnsafeSlow(1 << 16);
const received: Frame[] = [];
const reader = new FrameReader((frame) => received.push(frame));
let channel = 0; // of the request that is being answered

/** Waits for the next message; undefined when the service has hung up. */
export function receive(): Request | Signal | undefined {
  for (;;) {
    const frame = received.shift();
    if (frame !== undefined) {
      channel = frame.channel;
      return JSON.parse(frame.payload.toString()) as Request | Signal; // both ends are ours
    }
    const count = readSync(socket, chunk);
    if (count === 0) return undefined;
    reader.read(chunk.subarray(0, count));
  }
}

export function sendJson(type: number, content: unknown): void {
  send(type, [Buffer.from(JSON.stringify(content))]);
}

/** Writes a frame; waits when the service does not read. */
export function send(type: number, parts: readonly Uint8Array[]): void {
  writeAll(frameHeader(type, channel, byteLength(parts)));
  for (const part of parts) writeAll(part);
}

function writeAll(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(socket, bytes, written);
}
