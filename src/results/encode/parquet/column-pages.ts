import { ByteWriter as ThriftWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { ByteWriter } from '../../byte-writer.ts';
import type { RowBatch } from '../../row-stream.ts';
import type { ColumnChunk, StoredColumn } from './stored-column.ts';
import type { Written } from './value-writers.ts';

const pageBytes = 128 << 10; // compressing one takes a few milliseconds

/** The pages of one column within one row group: values are written from the batches and compressed when a page is full. */
export class ColumnPages {
  readonly column: StoredColumn;
  readonly #values = new ByteWriter(4096);
  readonly #presence = new ByteWriter(512); // one bit per row, the lowest first
  readonly #pages = new ByteWriter(4096); // closed pages; the buffer is reused for the next row group
  #bits = 0;
  #rows = 0; // on the open page
  #nulls = 0;
  #uncompressedSize = 0;
  #totalRows = 0;

  constructor(column: StoredColumn) {
    this.column = column;
  }

  /** Bytes in memory. */
  get size(): number {
    return this.#pages.length + this.#values.length;
  }

  get isPageFull(): boolean {
    return this.#values.length >= pageBytes;
  }

  add(batch: RowBatch, row: number, index: number): Written {
    const start = this.#values.length;
    const written = this.column.write(batch, row, index, this.#values);
    if (written === 'value') {
      this.#bits |= 1 << (this.#rows & 7);
    } else {
      this.#values.length = start;
      this.#nulls++;
    }
    if ((++this.#rows & 7) === 0) this.#storeBits();
    return written;
  }

  closePage(): void {
    if (this.#rows === 0) return;
    if ((this.#rows & 7) !== 0) this.#storeBits();
    const levels = this.#levels();
    const values = this.column.element.type === 'BOOLEAN' ? packBits(this.#values.view()) : this.#values.view();
    const compressed = snappyCompress(values);
    const isCompressed = compressed.length < values.length;
    const stored = isCompressed ? compressed : values;
    const header = new ThriftWriter(64);
    writePageHeader(header, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: levels.length + values.length,
      compressed_page_size: levels.length + stored.length,
      data_page_header_v2: {
        num_values: this.#rows,
        num_nulls: this.#nulls,
        num_rows: this.#rows,
        encoding: 'PLAIN',
        definition_levels_byte_length: levels.length,
        repetition_levels_byte_length: 0,
        is_compressed: isCompressed,
      },
    });
    for (const part of [header.getBytes(), levels, stored]) this.#pages.copy(part);
    this.#uncompressedSize += header.offset + levels.length + values.length;
    this.#totalRows += this.#rows;
    this.#rows = 0;
    this.#nulls = 0;
    this.#values.clear();
    this.#presence.clear();
  }

  /** The bytes of the chunk at this offset of the file, valid until more is added, and its entry in the metadata. */
  takeChunk(offset: number): { readonly pages: Buffer; readonly chunk: ColumnChunk } {
    this.closePage();
    const { element, label } = this.column;
    const chunk: ColumnChunk = {
      file_offset: BigInt(offset),
      meta_data: {
        type: element.type ?? 'BYTE_ARRAY',
        encodings: ['PLAIN', 'RLE'],
        path_in_schema: [label],
        codec: 'SNAPPY',
        num_values: BigInt(this.#totalRows),
        total_uncompressed_size: BigInt(this.#uncompressedSize),
        total_compressed_size: BigInt(this.#pages.length),
        data_page_offset: BigInt(offset),
        // no statistics: the library would search the whole schema for each
      },
    };
    const pages = this.#pages.view();
    this.#pages.clear();
    this.#uncompressedSize = 0;
    this.#totalRows = 0;
    return { pages, chunk };
  }

  /** Nothing may be added afterwards. */
  free(): void {
    for (const writer of [this.#values, this.#presence, this.#pages]) writer.free();
  }

  #storeBits(): void {
    this.#presence.reserve(1);
    this.#presence.byte(this.#bits);
    this.#bits = 0;
  }

  /** Which rows have a value: one run if all are alike, otherwise one bit per row. */
  #levels(): Buffer {
    const levels = new ThriftWriter(8);
    if (this.#nulls === 0 || this.#nulls === this.#rows) {
      levels.appendVarInt(this.#rows << 1);
      levels.appendUint8(this.#nulls === 0 ? 1 : 0);
      return Buffer.from(levels.getBytes());
    }
    levels.appendVarInt((this.#presence.length << 1) | 1);
    return Buffer.concat([levels.getBytes(), this.#presence.view()]);
  }
}

function packBits(booleans: Buffer): Buffer {
  const bits = Buffer.alloc((booleans.length + 7) >> 3);
  for (let i = 0; i < booleans.length; i++) bits[i >> 3] = (bits[i >> 3] ?? 0) | ((booleans[i] ?? 0) << (i & 7));
  return bits;
}
