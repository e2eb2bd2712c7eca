import duckdb from '@duckdb/node-bindings';
import { ByteWriter } from '../../../../results/byte-writer.ts';
import { blankControls, writeJsonBytes, writeJsonString } from '../../../../results/json-text.ts';
import { cellTags } from '../../../embedded/frames.ts';
import { numberCells } from './number-cells.ts';
import { textCells } from './text-cells.ts';
import { timeCells } from './time-cells.ts';
import { type CellReader, dataOf, type WriteCell, writeNullableCells } from './vector-data.ts';

const { Type } = duckdb;

export function cellReader(type: duckdb.LogicalType): CellReader {
  return numberCells(type) ?? timeCells(type) ?? readNestedCells(type) ?? textCells(type);
}

/** Lists, arrays, structs and maps, nested as JSON. */
function readNestedCells(type: duckdb.LogicalType): CellReader | undefined {
  switch (duckdb.get_type_id(type)) {
    case Type.LIST:
      return readLists(cellReader(duckdb.list_type_child_type(type)));
    case Type.ARRAY:
      return readArrays(cellReader(duckdb.array_type_child_type(type)), duckdb.array_type_array_size(type));
    case Type.STRUCT:
      return readStructs(type);
    case Type.MAP:
      return readMaps(cellReader(duckdb.map_type_key_type(type)), cellReader(duckdb.map_type_value_type(type)));
    default:
      return undefined;
  }
}

function readLists(readItems: CellReader): CellReader {
  return (vector, count) => {
    const spans = spansOf(vector, count);
    const items = readMembers(readItems, duckdb.list_vector_get_child(vector), duckdb.list_vector_get_size(vector));
    return (row, out) => writeArray(out, items, spans.start(row), spans.end(row));
  };
}

function readArrays(readItems: CellReader, size: number): CellReader {
  return (vector, count) => {
    const items = readMembers(readItems, duckdb.array_vector_get_child(vector), count * size);
    return (row, out) => writeArray(out, items, row * size, (row + 1) * size);
  };
}

function readStructs(type: duckdb.LogicalType): CellReader {
  const indexes = Array.from({ length: duckdb.struct_type_child_count(type) }, (_, index) => index);
  const names = indexes.map((index) => duckdb.struct_type_child_name(type, index));
  const readers = indexes.map((index) => cellReader(duckdb.struct_type_child_type(type, index)));
  const unnamed = names.every((name) => name === ''); // row(1, 2)
  return (vector, count) => {
    const fields = readers.map((read, index) => readMembers(read, duckdb.struct_vector_get_child(vector, index), count));
    return (row, out) => {
      out.ascii(unnamed ? '[' : '{');
      fields.forEach((write, index) => {
        if (index > 0) out.ascii(',');
        if (!unnamed) {
          writeJsonString(out, names[index] ?? '');
          out.ascii(':');
        }
        write(row, out);
      });
      out.ascii(unnamed ? ']' : '}');
      return cellTags.verbatim;
    };
  };
}

function readMaps(readKeys: CellReader, readValues: CellReader): CellReader {
  return (vector, count) => {
    const spans = spansOf(vector, count);
    const entries = duckdb.list_vector_get_child(vector);
    const size = duckdb.list_vector_get_size(vector);
    const keys = readMembers(readKeys, duckdb.struct_vector_get_child(entries, 0), size);
    const values = readMembers(readValues, duckdb.struct_vector_get_child(entries, 1), size);
    return (row, out) => {
      out.ascii('{');
      for (let at = spans.start(row); at < spans.end(row); at++) {
        if (at > spans.start(row)) out.ascii(',');
        writeKey(out, keys, at);
        out.ascii(':');
        values(at, out);
      }
      out.ascii('}');
      return cellTags.verbatim;
    };
  };
}

/** Strings are written as such; the JSON of other values becomes a string. */
function writeKey(out: ByteWriter, write: WriteCell, at: number): void {
  const key = new ByteWriter(64);
  const tag = write(at, key);
  if (quotedTags.has(tag)) out.copy(key.view());
  else writeJsonBytes(out, key.bytes, 0, tag === cellTags.null ? 0 : key.length); // NaN
}

const quotedTags: ReadonlySet<number> = new Set([cellTags.plainText, cellTags.escapedText, cellTags.bigInteger, cellTags.blob]);

function readMembers(read: CellReader, vector: duckdb.Vector, count: number): WriteCell {
  if (count === 0) return () => cellTags.null; // there is none to write
  const write = writeNullableCells(read, vector, count);
  return (row, out) => {
    const start = out.length;
    const tag = write(row, out);
    if (tag === cellTags.document) blankControls(out, start);
    return tag;
  };
}

function spansOf(vector: duckdb.Vector, count: number): { start(row: number): number; end(row: number): number } {
  const data = dataOf(vector, count * 4, Uint32Array); // offset and length, of 64 bits each
  const start = (row: number): number => data[row * 4] ?? 0;
  return { start, end: (row) => start(row) + (data[row * 4 + 2] ?? 0) };
}

function writeArray(out: ByteWriter, write: WriteCell, start: number, end: number): number {
  out.ascii('[');
  for (let at = start; at < end; at++) {
    if (at > start) out.ascii(',');
    write(at, out);
  }
  out.ascii(']');
  return cellTags.verbatim;
}
