import { ByteWriter } from '../byte-writer.ts';
import type { JsonRowEncoder } from '../encode/json-rows.ts';
import type { RowBatch } from '../row-stream.ts';
import type { ShownRows } from '../shown-rows.ts';
import { offsetBytes, offsetsOf, type SnapshotWriter } from '../storage/snapshot-storage.ts';
import { rethrowStorageErrors } from './stop.ts';

/** Encoded rows, in memory until the first flush creates the snapshot. */
export class RowLog {
  rowCount = 0;
  flushedRows = 0;
  readonly #encoder: JsonRowEncoder;
  readonly #bounds: LogBounds;
  #out: ByteWriter;
  #ends: number[] = [];
  #flushedBytes = 0;
  #isShared = false;
  #writer: SnapshotWriter | null = null;

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

  /** The space that it takes. */
  get claimedBytes(): number {
    return this.#flushedBytes + this.flushedRows * offsetBytes;
  }

  get isFlushed(): boolean {
    return this.#writer !== null;
  }

  /** The number of rows that other processes can read. */
  get storedRows(): number {
    return this.#writer?.storedRows ?? 0;
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

  /** Adds the last row, which begins at `start`, to the rows that are shown; false if they are complete without it. */
  show(start: number, shown: ShownRows): boolean {
    return shown.add(this.#out.bytes, start - this.#flushedBytes, this.#out.length - 1);
  }

  /** Bytes that are still in memory, without a copy; the log does not overwrite them. */
  lend(start: number, end: number): Buffer {
    this.#isShared = true;
    this.#encoder.recordSize(end - this.#flushedBytes);
    return this.#out.view(start - this.#flushedBytes, end - this.#flushedBytes);
  }

  /** A failed flush can be repeated. */
  async flush(): Promise<void> {
    if (this.rowCount === this.flushedRows) return;
    const rows = this.#out.view();
    await rethrowStorageErrors(async () => {
      const offsets = offsetsOf(this.#ends);
      await this.#bounds.claim(rows.length + offsets.length);
      this.#writer ??= await this.#bounds.prepare();
      await this.#writer.append(rows, offsets);
    });
    this.#flushedBytes += rows.length;
    this.flushedRows = this.rowCount;
    this.#ends = [];
    if (this.#isShared) this.#out = new ByteWriter(1 << 18);
    else this.#out.clear();
    this.#isShared = false;
  }

  /** Resolves when all rows are stored. */
  async settle(): Promise<void> {
    await this.flush();
    await rethrowStorageErrors(async () => this.#writer?.settle());
  }
}

export interface LogBounds {
  readonly maxBytes: number;
  /** Throws if the space for snapshots is used up. */
  claim(bytes: number): Promise<void>;
  /** Creates the snapshot if it does not exist yet. */
  prepare(): Promise<SnapshotWriter>;
}

const comma = 0x2c;
const minBytes = 1 << 11;
