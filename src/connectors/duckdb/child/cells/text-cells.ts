import { DuckDBVector } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import { writeJsonBytes, writeJsonString } from '../../../../results/json-text.ts';
import type { CellReader, Cells } from './cells.ts';
import { exactIntegers } from './number-cells.ts';
import { dataOf, isNull, type StringData, stringsOf, validityOf } from './vector-data.ts';

const { Type } = duckdb;

/** Types that are not numbers, times or nested are strings. */
export function textCells(type: duckdb.LogicalType): CellReader {
  switch (duckdb.get_type_id(type)) {
    case Type.VARCHAR:
      return ofStrings(duckdb.logical_type_get_alias(type) === 'JSON' ? documents : strings);
    case Type.BLOB:
      return ofStrings(blobs);
    case Type.ENUM:
      return enums(type);
    case Type.UUID:
      return uuids;
    case Type.BIGNUM:
      return (vector, count) => {
        const items = DuckDBVector.create(vector, count);
        return exactIntegers((row) => BigInt(String(items.getItem(row))));
      };
    default:
      return (vector, count) => {
        const items = DuckDBVector.create(vector, count);
        return ofTexts((row) => String(items.getItem(row)));
      };
  }
}

function ofStrings(cells: (at: (row: number) => StringData) => Cells): CellReader {
  return (vector, count) => {
    const validity = validityOf(vector, count);
    return cells(stringsOf(vector, count, (row) => isNull(validity, row)));
  };
}

function strings(at: (row: number) => StringData): Cells {
  return {
    json(row, out) {
      const { bytes, start, end } = at(row);
      writeJsonBytes(out, bytes, start, end);
    },
    text: (row, out) => copy(out, at(row)),
    value: (row) => decode(at(row)),
  };
}

/** Valid JSON is nested; DuckDB also accepts NaN and trailing commas, which become strings. */
function documents(at: (row: number) => StringData): Cells {
  return {
    json(row, out) {
      const found = at(row);
      if (!isJson(decode(found))) {
        writeJsonBytes(out, found.bytes, found.start, found.end);
        return;
      }
      const begin = out.length;
      copy(out, found);
      // characters below a space can only be between tokens; ndjson needs one line per row
      for (let i = begin; i < out.length; i++) if ((out.bytes[i] ?? 32) < 32) out.bytes[i] = 32;
    },
    text: (row, out) => copy(out, at(row)),
    value: (row) => decode(at(row)),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function blobs(at: (row: number) => StringData): Cells {
  const base64 = (row: number): string => {
    const { bytes, start, end } = at(row);
    return bytes.toString('base64', start, end);
  };
  return {
    json: (row, out) => out.ascii(`"${base64(row)}"`),
    text: (row, out) => out.ascii(base64(row)),
    value(row) {
      const { bytes, start, end } = at(row);
      return new Uint8Array(bytes.subarray(start, end));
    },
  };
}

function enums(type: duckdb.LogicalType): CellReader {
  const members = Array.from({ length: duckdb.enum_dictionary_size(type) }, (_, index) =>
    duckdb.enum_dictionary_value(type, index),
  );
  const storage = duckdb.enum_internal_type(type);
  const View = storage === Type.UTINYINT ? Uint8Array : storage === Type.USMALLINT ? Uint16Array : Uint32Array;
  return (vector, count) => {
    const indexes = dataOf<Uint8Array | Uint16Array | Uint32Array>(vector, count, View);
    return ofTexts((row) => members[indexes[row] ?? 0] ?? '');
  };
}

const uuids: CellReader = (vector, count) => {
  const data = dataOf(vector, count * 16);
  return ofTexts((row) => {
    let hex = '';
    for (let i = 15; i >= 0; i--) hex += hexOf[data[row * 16 + i] ?? 0];
    // stored as a signed number with the highest bit flipped, which keeps the order
    const first = hexOf[(data[row * 16 + 15] ?? 0) ^ 0x80];
    return `${first}${hex.slice(2, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  });
};

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function ofTexts(read: (row: number) => string): Cells {
  return {
    json: (row, out) => writeJsonString(out, read(row)),
    text: (row, out) => out.utf8(read(row)),
    value: read,
  };
}

const decode = ({ bytes, start, end }: StringData): string => bytes.toString('utf8', start, end);

function copy(out: ByteWriter, { bytes, start, end }: StringData): void {
  out.reserve(end - start);
  bytes.copy(out.bytes, out.length, start, end);
  out.length += end - start;
}
