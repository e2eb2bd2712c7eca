/**
 * What the service and a process that runs an embedded engine exchange over one socket. Every frame is a header of three 32-bit integers (the
 * length of the payload, the type, the channel) and the payload. Requests are JSON; rows are encoded batches.
 */

export interface Frame {
  readonly type: number;
  readonly channel: number;
  readonly payload: Buffer;
}

export const frameTypes = {
  request: 0, // the only type sent to the process
  columns: 1,
  batch: 2,
  epilogueRan: 3,
  // the last frame of a channel is one of these
  end: 4,
  failure: 5,
  reply: 6,
} as const;

export const isLast = (type: number): boolean => type >= frameTypes.end;

/** Messages to a run after its request. */
export type Signal =
  /** Adds to the free part of the window. */
  | { readonly type: 'more'; readonly credit: number }
  /** No more batches are needed. */
  | { readonly type: 'stop' }
  /** The rows were read and the Epilogue ran: commit. */
  | { readonly type: 'commit' };

/** Batches that may be sent and unread at once. */
export const batchesAhead = 3;

/** A large batch takes the whole window, so that the service holds one of them at a time. */
export const creditFor = (payloadBytes: number): number => (payloadBytes > largeBatch ? batchesAhead : 1);
const largeBatch = 1 << 20;

const frameHeaderBytes = 12;

export function frameHeader(type: number, channel: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(frameHeaderBytes);
  header.writeUInt32LE(payloadBytes, 0);
  header.writeUInt32LE(type, 4);
  header.writeUInt32LE(channel, 8);
  return header;
}

export const byteLength = (parts: readonly Uint8Array[]): number => parts.reduce((sum, part) => sum + part.length, 0);

/** Assembles frames from the chunks of a socket. Each payload has a buffer to itself, because batches need the alignment. */
export class FrameReader {
  readonly #deliver: (frame: Frame) => void;
  readonly #header = Buffer.alloc(frameHeaderBytes);
  #headerBytes = 0;
  #payload: Buffer | undefined;
  #payloadBytes = 0;

  constructor(deliver: (frame: Frame) => void) {
    this.#deliver = deliver;
  }

  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#payload === undefined) {
        const copied = chunk.copy(this.#header, this.#headerBytes, at);
        at += copied;
        this.#headerBytes += copied;
        if (this.#headerBytes < frameHeaderBytes) return;
        this.#payload = Buffer.allocUnsafeSlow(this.#header.readUInt32LE(0));
        this.#payloadBytes = 0;
      }
      const copied = chunk.copy(this.#payload, this.#payloadBytes, at);
      at += copied;
      this.#payloadBytes += copied;
      if (this.#payloadBytes < this.#payload.length) return;
      const frame = { type: this.#header.readUInt32LE(4), channel: this.#header.readUInt32LE(8), payload: this.#payload };
      this.#payload = undefined;
      this.#headerBytes = 0;
      this.#deliver(frame);
    }
  }
}
