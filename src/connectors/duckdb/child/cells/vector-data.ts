import duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import { cellTags } from '../../../embedded/frames.ts';

/** Writes the cell of a row as JSON and returns its tag, see `cellTags`. */
export type WriteCell = (row: number, out: ByteWriter) => number;

/** Created once per column; reads the vectors of each chunk. Cells that are NULL must not be written: their memory is undefined. */
export type CellReader = (vector: duckdb.Vector, count: number) => WriteCell;

/** The cells of a vector, NULL included. */
export function writeNullableCells(read: CellReader, vector: duckdb.Vector, count: number): WriteCell {
  const write = read(vector, count);
  const validity = validityOf(vector, count);
  if (validity === null) return write;
  return (row, out) => {
    if (!isNull(validity, row)) return write(row, out);
    out.ascii('null');
    return cellTags.null;
  };
}

/** The cells of each column of a chunk. */
export function cellsOf(chunk: duckdb.DataChunk, length: number, readers: readonly CellReader[]): readonly WriteCell[] {
  return readers.map((read, column) => writeNullableCells(read, duckdb.data_chunk_get_vector(chunk, column), length));
}

export interface NumberArray<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
}

/** A copy of a vector's memory as a typed array. */
export function dataOf<T>(vector: duckdb.Vector, count: number, View: NumberArray<T>): T {
  const data = duckdb.vector_get_data(vector, count * View.BYTES_PER_ELEMENT);
  return new View(data.buffer, data.byteOffset, count);
}

/** The validity bitmap; null if there are no NULLs. */
const validityOf = (vector: duckdb.Vector, count: number): Uint8Array | null =>
  duckdb.vector_get_validity(vector, ((count + 63) >> 6) * 8);

const isNull = (validity: Uint8Array, row: number): boolean => ((validity[row >> 3] ?? 0) & (1 << (row & 7))) === 0;

export interface Int64Data {
  /** Exact for safe integers, approximate otherwise. */
  toNumber(row: number): number;
  toBigInt(row: number): bigint;
}

/** 64-bit integers, without a BigInt for each of them. */
export function int64Of(vector: duckdb.Vector, count: number): Int64Data {
  const whole = dataOf(vector, count, BigInt64Array);
  const low = new Uint32Array(whole.buffer, whole.byteOffset, count * 2);
  const high = new Int32Array(whole.buffer, whole.byteOffset, count * 2);
  return {
    toNumber: (row) => (high[row * 2 + 1] ?? 0) * 4294967296 + (low[row * 2] ?? 0),
    toBigInt: (row) => whole[row] ?? 0n,
  };
}

/** The position of the bytes of one string. */
export interface StringData {
  bytes: Buffer;
  start: number;
  end: number;
}

const slot = 16; // length, then either 12 bytes of text or a prefix and a pointer
const inlined = 12;

/**
 * The bytes of each string of a vector. Short strings are stored in the vector; long ones are referenced by pointers, mostly adjacent, so that
 * one native call reads several of them.
 */
export function stringsOf(vector: duckdb.Vector, count: number): (row: number) => StringData {
  const validity = validityOf(vector, count);
  const slots = asBuffer(duckdb.vector_get_data(vector, count * slot));
  const words = new Uint32Array(slots.buffer, slots.byteOffset, count * 4);
  const lengthOf = (row: number): number => words[row * 4] ?? 0;
  const pointerOf = (row: number): number => (words[row * 4 + 3] ?? 0) * 4294967296 + (words[row * 4 + 2] ?? 0);

  const runs: Buffer[] = [];
  const runOf = new Uint32Array(count);
  const startOf = new Uint32Array(count);
  let first = -1;
  let from = 0;
  let to = 0;
  const closeRun = (): void => {
    if (first < 0) return;
    runs.push(asBuffer(duckdb.get_data_from_pointer(arrayBufferOf(slots), slots.byteOffset + first * slot + 8, to - from)));
    first = -1;
  };
  for (let row = 0; row < count; row++) {
    if (lengthOf(row) <= inlined || (validity !== null && isNull(validity, row))) continue;
    const pointer = pointerOf(row);
    // both strings are in DuckDB's memory, so a small gap in between is readable
    const joins = first >= 0 && pointer >= to && pointer - to < 64;
    if (!joins) {
      closeRun();
      first = row;
      from = pointer;
    }
    runOf[row] = runs.length;
    startOf[row] = pointer - from;
    to = pointer + lengthOf(row);
  }
  closeRun();

  const found: StringData = { bytes: slots, start: 0, end: 0 };
  return (row) => {
    const length = lengthOf(row);
    if (length <= inlined) {
      found.bytes = slots;
      found.start = row * slot + 4;
    } else {
      found.bytes = runs[runOf[row] ?? 0] ?? slots;
      found.start = startOf[row] ?? 0;
    }
    found.end = found.start + length;
    return found;
  };
}

const asBuffer = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

function arrayBufferOf(data: Buffer): ArrayBuffer {
  const { buffer } = data;
  if (buffer instanceof ArrayBuffer) return buffer;
  throw new Error('A vector is in shared memory.');
}
