import { DuckDBVector } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import { isJson, writeJsonBytes, writeJsonString } from '../../../../results/json-text.ts';
import { cellTags } from '../../../embedded/frames.ts';
import { writeExactIntegers } from './number-cells.ts';
import { type CellReader, dataOf, type StringData, stringsOf, type WriteCell } from './vector-data.ts';

const { Type } = duckdb;

/** Types that are not numbers, times or nested are strings. */
export function textCells(type: duckdb.LogicalType): CellReader {
  switch (duckdb.get_type_id(type)) {
    case Type.VARCHAR:
      return duckdb.logical_type_get_alias(type) === 'JSON' ? readDocuments : readStrings;
    case Type.BLOB:
      return readBlobs;
    case Type.ENUM:
      return readEnums(type);
    case Type.UUID:
      return readUuids;
    case Type.BIGNUM:
      return (vector, count) => {
        const items = DuckDBVector.create(vector, count);
        return writeExactIntegers((row) => BigInt(String(items.getItem(row))));
      };
    default:
      return (vector, count) => {
        const items = DuckDBVector.create(vector, count);
        return writeTexts((row) => String(items.getItem(row)));
      };
  }
}

const readStrings: CellReader = (vector, count) => {
  const at = stringsOf(vector, count);
  return (row, out) => writeString(at(row), out);
};

function writeString({ bytes, start, end }: StringData, out: ByteWriter): number {
  const from = out.length;
  writeJsonBytes(out, bytes, start, end);
  return stringTag(out, from);
}

/** Valid JSON is nested; DuckDB also accepts NaN and trailing commas, which become strings. */
const readDocuments: CellReader = (vector, count) => {
  const at = stringsOf(vector, count);
  return (row, out) => {
    const string = at(row);
    const { bytes, start, end } = string;
    if (!isJson(bytes.toString('utf8', start, end))) return writeString(string, out);
    out.copy(bytes.subarray(start, end));
    return cellTags.document;
  };
};

const readBlobs: CellReader = (vector, count) => {
  const at = stringsOf(vector, count);
  return (row, out) => {
    const { bytes, start, end } = at(row);
    out.ascii(`"${bytes.toString('base64', start, end)}"`);
    return cellTags.blob;
  };
};

function readEnums(type: duckdb.LogicalType): CellReader {
  const members = Array.from({ length: duckdb.enum_dictionary_size(type) }, (_, index) =>
    duckdb.enum_dictionary_value(type, index),
  );
  const storage = duckdb.enum_internal_type(type);
  const View = storage === Type.UTINYINT ? Uint8Array : storage === Type.USMALLINT ? Uint16Array : Uint32Array;
  return (vector, count) => {
    const indexes = dataOf<Uint8Array | Uint16Array | Uint32Array>(vector, count, View);
    return writeTexts((row) => members[indexes[row] ?? 0] ?? '');
  };
}

const readUuids: CellReader = (vector, count) => {
  const data = dataOf(vector, count * 16, Uint8Array);
  return (row, out) => {
    let hex = '';
    for (let i = 15; i >= 0; i--) hex += hexOf[data[row * 16 + i] ?? 0];
    // stored as a signed number with the highest bit flipped, which keeps the order
    const first = hexOf[(data[row * 16 + 15] ?? 0) ^ 0x80];
    out.ascii(`"${first}${hex.slice(2, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}"`);
    return cellTags.plainText;
  };
};

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function writeTexts(read: (row: number) => string): WriteCell {
  return (row, out) => {
    const from = out.length;
    writeJsonString(out, read(row));
    return stringTag(out, from);
  };
}

/** The tag of the JSON string that begins at `start`. */
function stringTag({ bytes, length }: ByteWriter, start: number): number {
  if (length - start > loopUpTo) {
    return bytes.subarray(start, length).includes(backslash) ? cellTags.escapedText : cellTags.plainText;
  }
  for (let at = start; at < length; at++) if (bytes[at] === backslash) return cellTags.escapedText;
  return cellTags.plainText;
}

const backslash = 92;
const loopUpTo = 64; // above, one call is faster than the loop
