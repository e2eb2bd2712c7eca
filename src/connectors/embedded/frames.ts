import type { SqlValue } from '../../core/sql-value.ts';
import { type ByteWriter, freeBytes } from '../../results/byte-writer.ts';
import { blankControls } from '../../results/json-text.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import type { ConnectorError, ParameterType, Statement } from '../connector.ts';

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
  end: 4, // with the milliseconds that it took
  failure: 5,
  reply: 6,
} as const;

export const isLast = (type: number): boolean => type >= frameTypes.end;

/** A request to a child process. The first one is `open`; the next is sent after its response. */
export type EngineRequest =
  | ({ readonly type: 'open' } & FileToOpen)
  | { readonly type: 'describe' | 'checkEpilogue'; readonly sql: string; readonly parameters: readonly ParameterType[] }
  | RunRequest
  | { readonly type: 'schema' | 'ping' };

export interface RunRequest {
  readonly type: 'run';
  readonly statement: Statement;
  readonly timeoutMs: number;
  /** One of a batch: it fails unless its result is short and soon complete, because others wait for it and no signals are read meanwhile. */
  readonly isBatched?: boolean;
}

export interface FileToOpen {
  readonly path: string; // links resolved
  readonly writable: boolean;
  readonly scratchFolder: string;
  readonly connections: number;
  readonly memoryBytes: number; // of the whole process
}

/** A ConnectorError as a frame of type `failure` has it. */
export type FailureReport = Pick<ConnectorError, 'kind' | 'message' | 'position' | 'isForAuthors'>;

export const reportOf = ({ kind, message, position, isForAuthors }: ConnectorError): FailureReport => ({
  kind,
  message,
  position,
  isForAuthors,
});

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

/** Assembles frames from the chunks of a socket. Each payload is copied, because batches need the alignment. */
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
        const bytes = this.#header.readUInt32LE(0);
        this.#payload = bytes < smallPayload ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
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

const smallPayload = 2048; // comes from Node's pool, which is aligned, too

/** How to read the bytes of a cell, which are its JSON. */
export const cellTags = {
  null: 0,
  integer: 1,
  bigInteger: 2, // beyond 2^53, in quotes
  real: 3,
  plainText: 4, // without escapes
  escapedText: 5,
  boolean: 6,
  blob: 7, // base64, in quotes
  verbatim: 8, // text and value equal the JSON: decimals, nested values
  document: 9, // JSON as stored, maybe with line breaks
} as const;

/** No row is larger: the service holds a row in memory while it writes it. */
export const mostRowBytes = 128 << 20;

/** A batch as received from the process: the number of rows, the end of each cell, its tag, and the cells as JSON. */
export class EncodedBatch implements RowBatch {
  readonly length: number;
  readonly #columns: number;
  readonly #ends: Uint32Array;
  readonly #tags: Uint8Array;
  readonly #bytes: Buffer;

  /** The payload must be aligned to 32 bits. */
  constructor(payload: Buffer, columns: number) {
    this.length = payload.readUInt32LE(0);
    this.#columns = columns;
    const cells = this.length * columns;
    this.#ends = new Uint32Array(payload.buffer, payload.byteOffset + 4, cells);
    this.#tags = payload.subarray(4 + cells * 4, 4 + cells * 5);
    this.#bytes = payload.subarray(4 + cells * 5);
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const cell = row * this.#columns + column;
    const from = out.length;
    out.copyRange(this.#bytes, this.#start(cell), this.#ends[cell] ?? 0);
    if (this.#tags[cell] === cellTags.document) blankControls(out, from);
  }

  writeJsonRow(row: number, keys: readonly Uint8Array[], maxCellBytes: number, out: ByteWriter): boolean {
    const columns = this.#columns;
    if (keys.length !== columns || columns === 0) return false;
    const source = this.#bytes;
    const ends = this.#ends;
    let cell = row * columns;
    let from = this.#start(cell);
    let room = (ends[cell + columns - 1] ?? 0) - from;
    for (const key of keys) room += key.length;
    out.reserve(room);
    const target = out.bytes;
    let at = out.length;
    for (const key of keys) {
      for (let i = 0; i < key.length; i++) target[at++] = key[i] ?? 0;
      const end = ends[cell] ?? 0;
      if (end - from > maxCellBytes || this.#tags[cell++] === cellTags.document) return false;
      if (end - from >= copyWholeFrom) {
        target.set(source.subarray(from, end), at);
        at += end - from;
      } else for (; from < end; from++) target[at++] = source[from] ?? 0;
      from = end;
    }
    out.length = at;
    return true;
  }

  release(): void {
    freeBytes(this.#bytes);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const cell = row * this.#columns + column;
    const start = this.#start(cell);
    const end = this.#ends[cell] ?? 0;
    switch (this.#tags[cell]) {
      case cellTags.null:
        return;
      case cellTags.bigInteger:
      case cellTags.plainText:
      case cellTags.blob:
        out.copyRange(this.#bytes, start + 1, end - 1);
        return;
      case cellTags.escapedText:
        out.utf8(JSON.parse(this.#bytes.toString('utf8', start, end)));
        return;
      default:
        out.copyRange(this.#bytes, start, end);
    }
  }

  value(row: number, column: number): SqlValue {
    const cell = row * this.#columns + column;
    const start = this.#start(cell);
    const end = this.#ends[cell] ?? 0;
    switch (this.#tags[cell]) {
      case cellTags.null:
        return null;
      case cellTags.integer:
      case cellTags.real:
        return Number(this.#bytes.toString('latin1', start, end));
      case cellTags.bigInteger:
        return BigInt(this.#bytes.toString('latin1', start + 1, end - 1));
      case cellTags.plainText:
        return this.#bytes.toString('utf8', start + 1, end - 1);
      case cellTags.escapedText:
        return JSON.parse(this.#bytes.toString('utf8', start, end));
      case cellTags.boolean:
        return this.#bytes[start] === letterT;
      case cellTags.blob:
        return new Uint8Array(Buffer.from(this.#bytes.toString('latin1', start + 1, end - 1), 'base64'));
      default:
        return this.#bytes.toString('utf8', start, end);
    }
  }

  #start(cell: number): number {
    return cell === 0 ? 0 : (this.#ends[cell - 1] ?? 0);
  }
}

const letterT = 116;
const copyWholeFrom = 48; // below, a loop is faster than the call
