import { readSync, writeSync } from 'node:fs';
import { ByteWriter } from '../../../results/byte-writer.ts';
import { byteLength, type EngineRequest, type Frame, frameHeader, FrameReader, type Signal } from '../../embedded/frames.ts';

const socket = 3;

const chunk = Buffer.allocUnsafeSlow(1 << 16);
const received: Frame[] = [];
const reader = new FrameReader((frame) => received.push(frame));
let channel = 0; // of the current request
const mostUnsent = 1 << 19;
const longestUnsentMs = 5;
const unsent = new ByteWriter(mostUnsent);
let unsentSince = 0;

/** Waits for the next message; undefined when the service has closed the socket. */
export function receive(): EngineRequest | Signal | undefined {
  if (unsent.length > 0 && performance.now() - unsentSince > longestUnsentMs) flush();
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
 * A frame is sent with the next `flush`, at the latest before waiting for a message: a result, and those of several requests that were received
 * at once, take one write here and few reads in the service. Blocks while the service does not read.
 */
export function send(type: number, parts: readonly Uint8Array[]): void {
  const header = frameHeader(type, channel, byteLength(parts));
  if (unsent.length === 0) unsentSince = performance.now();
  for (const part of [header, ...parts]) {
    if (unsent.length + part.length > mostUnsent) flush();
    if (part.length > mostUnsent) writeAll(part);
    else unsent.copy(part);
  }
}

export function flush(): void {
  writeAll(unsent.view());
  unsent.clear();
}

function writeAll(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(socket, bytes, written);
}
