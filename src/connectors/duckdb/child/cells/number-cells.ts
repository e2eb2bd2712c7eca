import duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import { toShortestFloat32 } from '../../../cells/byte-cells.ts';
import { cellTags } from '../../../embedded/frames.ts';
import { type CellReader, dataOf, type Int64Data, int64Of, type NumberArray, type WriteCell } from './vector-data.ts';

const { Type } = duckdb;

export function numberCells(type: duckdb.LogicalType): CellReader | undefined {
  switch (duckdb.get_type_id(type)) {
    case Type.BOOLEAN:
      return readBooleans;
    case Type.TINYINT:
      return readIntegers(Int8Array);
    case Type.UTINYINT:
      return readIntegers(Uint8Array);
    case Type.SMALLINT:
      return readIntegers(Int16Array);
    case Type.USMALLINT:
      return readIntegers(Uint16Array);
    case Type.INTEGER:
      return readIntegers(Int32Array);
    case Type.UINTEGER:
      return readIntegers(Uint32Array);
    case Type.BIGINT:
      return (vector, count) => writeWholeNumbers(int64Of(vector, count));
    case Type.UBIGINT:
      return (vector, count) => {
        const data = dataOf(vector, count, BigUint64Array);
        return writeExactIntegers((row) => data[row] ?? 0n);
      };
    case Type.HUGEINT:
      return (vector, count) => writeExactIntegers(int128Of(vector, count, BigInt64Array));
    case Type.UHUGEINT:
      return (vector, count) => writeExactIntegers(int128Of(vector, count, BigUint64Array));
    case Type.FLOAT:
      return (vector, count) => writeFloats(dataOf(vector, count, Float32Array), toShortestFloat32);
    case Type.DOUBLE:
      return (vector, count) => writeFloats(dataOf(vector, count, Float64Array), (value) => value);
    case Type.DECIMAL:
      return readDecimals(duckdb.decimal_internal_type(type), duckdb.decimal_scale(type));
    default:
      return undefined;
  }
}

const readBooleans: CellReader = (vector, count) => {
  const data = dataOf(vector, count, Uint8Array);
  return (row, out) => {
    out.ascii(data[row] === 0 ? 'false' : 'true');
    return cellTags.boolean;
  };
};

type SmallIntegers = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;

function readIntegers(View: NumberArray<SmallIntegers>): CellReader {
  return (vector, count) => {
    const data = dataOf(vector, count, View);
    return (row, out) => {
      out.integer(data[row] ?? 0);
      return cellTags.integer;
    };
  };
}

function writeWholeNumbers({ toNumber: rounded, toBigInt: exact }: Int64Data): WriteCell {
  return (row, out) => {
    const value = rounded(row);
    if (!Number.isSafeInteger(value)) return writeExact(out, exact(row));
    out.integer(value);
    return cellTags.integer;
  };
}

function int128Of(
  vector: duckdb.Vector,
  count: number,
  Upper: NumberArray<BigInt64Array | BigUint64Array>,
): (row: number) => bigint {
  const lower = dataOf(vector, count * 2, BigUint64Array);
  const upper = dataOf(vector, count * 2, Upper);
  return (row) => ((upper[row * 2 + 1] ?? 0n) << 64n) | (lower[row * 2] ?? 0n);
}

/** Integers of any size. */
export function writeExactIntegers(read: (row: number) => bigint): WriteCell {
  return (row, out) => writeExact(out, read(row));
}

/** JSON numbers where no client would round them, strings otherwise. */
function writeExact(out: ByteWriter, value: bigint): number {
  out.ascii(isSafe(value) ? String(value) : `"${value}"`);
  return isSafe(value) ? cellTags.integer : cellTags.bigInteger;
}

function readDecimals(storage: duckdb.Type, scale: number): CellReader {
  const unit = 10n ** BigInt(scale);
  const fewDigits = scale <= 9; // digits are written from 32-bit numbers
  return (vector, count) => {
    const data = readUnscaled(storage, vector, count);
    if (scale === 0) return writeWholeNumbers(data);
    const { toNumber: rounded, toBigInt: exact } = data;
    return (row, out) => {
      const value = rounded(row);
      if (fewDigits && Number.isSafeInteger(value)) {
        writeDecimal(out, value, scale);
        return cellTags.verbatim;
      }
      const text = decimalText(exact(row), scale);
      const safe = isSafe(exact(row) / unit);
      out.ascii(safe ? text : `"${text}"`);
      return safe ? cellTags.verbatim : cellTags.plainText;
    };
  };
}

function readUnscaled(storage: duckdb.Type, vector: duckdb.Vector, count: number): Int64Data {
  if (storage === Type.BIGINT) return int64Of(vector, count);
  if (storage === Type.HUGEINT) {
    const exact = int128Of(vector, count, BigInt64Array);
    return { toNumber: (row) => Number(exact(row)), toBigInt: exact };
  }
  const data = dataOf<Int16Array | Int32Array>(vector, count, storage === Type.SMALLINT ? Int16Array : Int32Array);
  return { toNumber: (row) => data[row] ?? 0, toBigInt: (row) => BigInt(data[row] ?? 0) };
}

function writeDecimal(out: ByteWriter, value: number, scale: number): void {
  if (value < 0) {
    out.ascii('-');
    value = -value;
  }
  const fraction = value % 10 ** scale;
  out.integer((value - fraction) / 10 ** scale);
  out.reserve(scale + 1);
  out.byte(46);
  out.digits(fraction, scale);
}

function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The shortest text that reads back as the same number; NaN and the infinities are NULL. */
function writeFloats(data: Float32Array | Float64Array, shorten: (value: number) => number): WriteCell {
  return (row, out) => {
    const value = data[row] ?? 0;
    if (!Number.isFinite(value)) {
      out.ascii('null');
      return cellTags.null;
    }
    const cents = Math.round(value * 100);
    // most numbers have at most two decimals and need no search for the shortest text
    if (cents / 100 === value && value !== 0 && Math.abs(cents) < 0x7fffffff) writeCents(out, cents);
    else writeShortest(out, shorten(value));
    return cellTags.real;
  };
}

const writeShortest = (out: ByteWriter, value: number): void => out.ascii(Object.is(value, -0) ? '-0' : String(value));

function writeCents(out: ByteWriter, cents: number): void {
  if (cents % 100 === 0) out.integer(cents / 100);
  else if (cents % 10 === 0) writeDecimal(out, cents / 10, 1);
  else writeDecimal(out, cents, 2);
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);
const isSafe = (value: bigint): boolean => value <= largest && value >= -largest;
