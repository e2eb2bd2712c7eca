import duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import type { CellReader, Cells } from './cells.ts';
import { dataOf, type Int64Data, int64Of } from './vector-data.ts';

const { Type } = duckdb;

export function numberCells(type: duckdb.LogicalType): CellReader | undefined {
  switch (duckdb.get_type_id(type)) {
    case Type.BOOLEAN:
      return (vector, count) => booleans(dataOf(vector, count));
    case Type.TINYINT:
      return (vector, count) => integers(dataOf(vector, count, Int8Array));
    case Type.UTINYINT:
      return (vector, count) => integers(dataOf(vector, count, Uint8Array));
    case Type.SMALLINT:
      return (vector, count) => integers(dataOf(vector, count, Int16Array));
    case Type.USMALLINT:
      return (vector, count) => integers(dataOf(vector, count, Uint16Array));
    case Type.INTEGER:
      return (vector, count) => integers(dataOf(vector, count, Int32Array));
    case Type.UINTEGER:
      return (vector, count) => integers(dataOf(vector, count, Uint32Array));
    case Type.BIGINT:
      return bigints;
    case Type.UBIGINT:
      return (vector, count) => {
        const data = dataOf(vector, count, BigUint64Array);
        return exactIntegers((row) => data[row] ?? 0n);
      };
    case Type.HUGEINT:
      return (vector, count) => exactIntegers(int128Of(vector, count, BigInt64Array));
    case Type.UHUGEINT:
      return (vector, count) => exactIntegers(int128Of(vector, count, BigUint64Array));
    case Type.FLOAT:
      return (vector, count) => floats(dataOf(vector, count, Float32Array), shortestFloat32);
    case Type.DOUBLE:
      return (vector, count) => floats(dataOf(vector, count, Float64Array), shortestFloat64);
    case Type.DECIMAL:
      return decimals(duckdb.decimal_internal_type(type), duckdb.decimal_scale(type));
    default:
      return undefined;
  }
}

function booleans(data: Uint8Array): Cells {
  const write = (row: number, out: ByteWriter): void => out.ascii(data[row] === 0 ? 'false' : 'true');
  return { json: write, text: write, value: (row) => data[row] !== 0 };
}

function integers(data: Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array): Cells {
  const write = (row: number, out: ByteWriter): void => out.integer(data[row] ?? 0);
  return { json: write, text: write, value: (row) => data[row] ?? 0 };
}

const bigints: CellReader = (vector, count) => {
  const data = int64Of(vector, count);
  return {
    json(row, out) {
      const value = data.rounded(row);
      if (Number.isSafeInteger(value)) out.integer(value);
      else out.ascii(`"${data.exact(row)}"`);
    },
    text(row, out) {
      const value = data.rounded(row);
      if (Number.isSafeInteger(value)) out.integer(value);
      else out.ascii(String(data.exact(row)));
    },
    value(row) {
      const value = data.rounded(row);
      return Number.isSafeInteger(value) ? value : data.exact(row);
    },
  };
};

function int128Of(
  vector: duckdb.Vector,
  count: number,
  Upper: typeof BigInt64Array | typeof BigUint64Array,
): (row: number) => bigint {
  const lower = dataOf(vector, count * 2, BigUint64Array);
  const upper = dataOf<BigInt64Array | BigUint64Array>(vector, count * 2, Upper);
  return (row) => ((upper[row * 2 + 1] ?? 0n) << 64n) | (lower[row * 2] ?? 0n);
}

/** Integers of any size: JSON numbers where no client would round them, strings otherwise. */
export function exactIntegers(read: (row: number) => bigint): Cells {
  return {
    json(row, out) {
      const value = read(row);
      out.ascii(isSafe(value) ? String(value) : `"${value}"`);
    },
    text: (row, out) => out.ascii(String(read(row))),
    value: (row) => shortInteger(read(row)),
  };
}

function decimals(storage: duckdb.Type, scale: number): CellReader {
  const unit = 10n ** BigInt(scale);
  const fewDigits = scale <= 9; // digits are written from 32-bit numbers
  return (vector, count) => {
    const { rounded, exact } = unscaled(storage, vector, count);
    const writeShort = (row: number, out: ByteWriter): boolean => {
      const value = rounded(row);
      if (!fewDigits || !Number.isSafeInteger(value)) return false;
      writeDecimal(out, value, scale);
      return true;
    };
    return {
      json(row, out) {
        if (writeShort(row, out)) return;
        const value = exact(row);
        const text = decimalText(value, scale);
        out.ascii(isSafe(value / unit) ? text : `"${text}"`);
      },
      text(row, out) {
        if (!writeShort(row, out)) out.ascii(decimalText(exact(row), scale));
      },
      value: (row) => (scale === 0 ? shortInteger(exact(row)) : decimalText(exact(row), scale)),
    };
  };
}

function unscaled(storage: duckdb.Type, vector: duckdb.Vector, count: number): Int64Data {
  if (storage === Type.BIGINT) return int64Of(vector, count);
  if (storage === Type.HUGEINT) {
    const exact = int128Of(vector, count, BigInt64Array);
    return { rounded: (row) => Number(exact(row)), exact };
  }
  const data = dataOf<Int16Array | Int32Array>(vector, count, storage === Type.SMALLINT ? Int16Array : Int32Array);
  return { rounded: (row) => data[row] ?? 0, exact: (row) => BigInt(data[row] ?? 0) };
}

function writeDecimal(out: ByteWriter, value: number, scale: number): void {
  if (value < 0) {
    out.ascii('-');
    value = -value;
  }
  const fraction = value % 10 ** scale;
  out.integer((value - fraction) / 10 ** scale);
  if (scale === 0) return;
  out.reserve(scale + 1);
  out.byte(46);
  out.digits(fraction, scale);
}

function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${value < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

function floats(data: Float32Array | Float64Array, shortest: (value: number) => string): Cells {
  const write = (row: number, out: ByteWriter, nothing: string): void => {
    const value = data[row] ?? 0;
    const cents = Math.round(value * 100);
    // most numbers have at most two decimals and need no search for the shortest text
    if (cents / 100 === value && value !== 0 && Math.abs(cents) < 0x7fffffff) writeCents(out, cents);
    else out.ascii(shortest(value) || nothing);
  };
  return {
    json: (row, out) => write(row, out, 'null'),
    text: (row, out) => write(row, out, ''),
    value(row) {
      const text = shortest(data[row] ?? 0);
      return text === '' ? null : Number(text);
    },
  };
}

function writeCents(out: ByteWriter, cents: number): void {
  if (cents % 100 === 0) out.integer(cents / 100);
  else if (cents % 10 === 0) writeDecimal(out, cents / 10, 1);
  else writeDecimal(out, cents, 2);
}

/** The shortest text that reads back as the same number; nothing for NaN and the infinities. */
function shortestFloat64(value: number): string {
  if (!Number.isFinite(value)) return '';
  return Object.is(value, -0) ? '-0' : String(value);
}

function shortestFloat32(value: number): string {
  if (!Number.isFinite(value)) return '';
  for (let precision = 6; precision < 9; precision++) {
    const short = Number(value.toPrecision(precision));
    if (Math.fround(short) === value) return shortestFloat64(short);
  }
  return shortestFloat64(Number(value.toPrecision(9)));
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);
const isSafe = (value: bigint): boolean => value <= largest && value >= -largest;
const shortInteger = (value: bigint): number | bigint => (isSafe(value) ? Number(value) : value);
