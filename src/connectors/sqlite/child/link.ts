import { readSync, writeSync } from 'node:fs';
import { frameHeaderBytes, type Request } from '../protocol.ts';

const socket = 3;

let unread: Buffer = Buffer.alloc(0);
const chunk = Buffer.allocUnsafeSlow(1 << 16);

/** Waits for the next message; undefined when the service has hung up. */
export function receive(): Request | undefined {
  for (;;) {
    const length = unread.length < 4 ? Number.POSITIVE_INFINITY : unread.readUInt32LE(0);
    if (unread.length >= 4 + length) {
      const text = unread.toString('utf8', 4, 4 + length);
      unread = unread.subarray(4 + length);
      return JSON.parse(text) as Request; // both ends are ours
    }
    const count = readSync(socket, chunk);
    if (count === 0) return undefined;
    unread = Buffer.concat([unread, chunk.subarray(0, count)]);
  }
}

export function sendJson(type: number, content: unknown): void {
  send(type, [Buffer.from(JSON.stringify(content))]);
}

/** Writes a frame; waits when the service does not read. */
export function send(type: number, parts: readonly Uint8Array[]): void {
  const header = Buffer.allocUnsafe(frameHeaderBytes);
  header.writeUInt32LE(
    parts.reduce((sum, part) => sum + part.length, 0),
    0,
  );
  header.writeUInt32LE(type, 4);
  writeAll(header);
  for (const part of parts) writeAll(part);
}

function writeAll(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(socket, bytes, written);
}
