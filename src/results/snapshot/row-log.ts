import { type FileHandle, open } from 'node:fs/promises';
import { ByteWriter } from '../byte-writer.ts';
import type { JsonRowEncoder } from '../encode/json-rows.ts';
import { writeAll } from '../files/file-access.ts';
import type { RowBatch } from '../row-stream.ts';
import type { SnapshotFolder } from './snapshot-folder.ts';
import { SnapshotStorageError, SpaceExhaustedError } from './stop.ts';

/** Encoded rows, in memory until the first flush creates the files. */
export class RowLog {
  rowCount = 0;
  flushedRows = 0;
  readonly #encoder: JsonRowEncoder;
  readonly #bounds: LogBounds;
  #out: ByteWriter;
  #ends: number[] = [];
  #flushedBytes = 0;
  #lent = false;
  #files: { readonly rows: FileHandle; readonly offsets: FileHandle } | null = null;

  constructor(encoder: JsonRowEncoder, bounds: LogBounds) {
    this.#encoder = encoder;
    this.#out = new ByteWriter(encoder.usualBytes + minBytes); // one row beyond the page is encoded
    this.#bounds = bounds;
  }

  /** All bytes so far, flushed or not; the offset of the next row. */
  get byteCount(): number {
    return this.#flushedBytes + this.#out.length;
  }

  get pendingBytes(): number {
    return this.#out.length;
  }

  /** The size of its files. */
  get diskBytes(): number {
    return this.#flushedBytes + this.flushedRows * offsetBytes;
  }

  get hasFiles(): boolean {
    return this.#files !== null;
  }

  /** Throws like the encoder; false if the row would exceed the bound on bytes. In both cases the row is not added. */
  append(batch: RowBatch, row: number): boolean {
    const out = this.#out;
    const before = out.length;
    let kept = false;
    try {
      this.#encoder.encodeRow(batch, row, out);
      out.reserve(1);
      out.byte(comma);
      kept = this.byteCount <= this.#bounds.maxBytes;
    } finally {
      if (!kept) out.length = before;
    }
    if (!kept) return false;
    this.#ends.push(this.byteCount);
    this.rowCount++;
    return true;
  }

  /** Bytes that are still in memory, without a copy; the log does not overwrite them. */
  lend(start: number, end: number): Buffer {
    this.#lent = true;
    this.#encoder.recordSize(end - this.#flushedBytes);
    return this.#out.view(start - this.#flushedBytes, end - this.#flushedBytes);
  }

  /** Writes rows before offsets, so that every offset points to existing bytes. Positions are explicit: a failed flush can be repeated. */
  async flush(): Promise<void> {
    if (this.rowCount === this.flushedRows) return;
    const rows = this.#out.view();
    try {
      const offsets = offsetsOf(this.#ends);
      await this.#bounds.claim(rows.length + offsets.length);
      this.#files ??= await this.#openFiles();
      await writeAll(this.#files.rows, rows, this.#flushedBytes);
      await writeAll(this.#files.offsets, offsets, this.flushedRows * offsetBytes);
    } catch (error) {
      throw error instanceof SpaceExhaustedError ? error : new SnapshotStorageError(error);
    }
    this.#flushedBytes += rows.length;
    this.flushedRows = this.rowCount;
    this.#ends = [];
    if (this.#lent) this.#out = new ByteWriter(1 << 18);
    else this.#out.clear();
    this.#lent = false;
  }

  async close(): Promise<void> {
    const files = this.#files;
    await Promise.all([files?.rows.close(), files?.offsets.close()]);
  }

  async #openFiles() {
    const folder = await this.#bounds.prepare();
    const rows = await open(folder.rows, 'wx', 0o600);
    try {
      return { rows, offsets: await open(folder.offsets, 'wx', 0o600) };
    } catch (error) {
      await rows.close();
      throw error;
    }
  }
}

export interface LogBounds {
  readonly maxBytes: number;
  /** Throws if the space for snapshots is used up. */
  claim(bytes: number): Promise<void>;
  /** Creates the folder if it does not exist yet. */
  prepare(): Promise<SnapshotFolder>;
}

export const offsetBytes = 8;

export function readOffset(bytes: Buffer, index: number): number {
  return bytes.readUInt32LE(index * offsetBytes) + bytes.readUInt32LE(index * offsetBytes + 4) * 2 ** 32;
}

function offsetsOf(ends: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(ends.length * offsetBytes);
  let at = 0;
  for (const end of ends) {
    at = bytes.writeUInt32LE(end % 2 ** 32, at);
    at = bytes.writeUInt32LE(Math.floor(end / 2 ** 32), at);
  }
  return bytes;
}

const comma = 0x2c;
const minBytes = 1 << 11;
