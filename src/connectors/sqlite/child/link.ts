import { readSync, writeSync } from 'node:fs';
import { byteLength, type EngineRequest, type Frame, frameHeader, FrameReader, type Signal } from '../../embedded/frames.ts';

const socket = 3;

const chunk = Buffer.allocUnsafeSlow(1 << 16);
const received: Frame[] = [];
const reader = new FrameReader((frame) => received.push(frame));
let channel = 0; // of the current request
const unsent: Buffer[] = [];
const smallBytes = 1 << 16;

/** Waits for the next message; undefined when the service has closed the socket. */
export function receive(): EngineRequest | Signal | undefined {
  for (;;) {
    const frame = received.shift();
    if (frame !== undefined) {
      channel = frame.channel;
      return JSON.parse(frame.payload.toString()) as EngineRequest | Signal; // written by our own code
    }
    flush();
    const count = readSync(socket, chunk);
    if (count === 0) return undefined;
    reader.read(chunk.subarray(0, count));
  }
}

export function sendJson(type: number, content: unknown): void {
  send(type, [Buffer.from(JSON.stringify(content))]);
}

/**
 * A small frame is sent with the next `flush`, at the latest before waiting for a message: columns, rows and end of a small result take one write
 * here and one read in the service. Blocks while the service does not read.
 */
export function send(type: number, parts: readonly Uint8Array[]): void {
  const payloadBytes = byteLength(parts);
  const header = frameHeader(type, channel, payloadBytes);
  if (payloadBytes <= smallBytes) {
    unsent.push(Buffer.concat([header, ...parts])); // a copy, because the parts may be overwritten
    return;
  }
  unsent.push(header);
  flush();
  for (const part of parts) writeAll(part);
}

export function flush(): void {
  if (unsent.length === 0) return;
  writeAll(Buffer.concat(unsent));
  unsent.length = 0;
}

function writeAll(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(socket, bytes, written);
}
