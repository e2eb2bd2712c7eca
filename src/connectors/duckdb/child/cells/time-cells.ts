import duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import { writeClock } from '../../../cells/write-clock.ts';
import { cellTags } from '../../../embedded/frames.ts';
import { type CellReader, dataOf, int64Of, type WriteCell } from './vector-data.ts';

const { Type } = duckdb;

export function timeCells(type: duckdb.LogicalType): CellReader | undefined {
  switch (duckdb.get_type_id(type)) {
    case Type.DATE:
      return readDates;
    case Type.TIME:
      return readTimes(6);
    case Type.TIME_NS:
      return readTimes(9);
    case Type.TIMESTAMP_S:
      return readTimestamps(0, false);
    case Type.TIMESTAMP_MS:
      return readTimestamps(3, false);
    case Type.TIMESTAMP:
      return readTimestamps(6, false);
    case Type.TIMESTAMP_NS:
      return readTimestamps(9, false);
    case Type.TIMESTAMP_TZ:
      return readTimestamps(6, true);
    default:
      return undefined;
  }
}

const endOfDays = 2147483647; // infinity
const endOfTime = 9223372036854775807n;
const quote = 34;

const readDates: CellReader = (vector, count) => {
  const days = dataOf(vector, count, Int32Array);
  return quoteCell((row, out) => {
    const day = days[row] ?? 0;
    if (day === endOfDays) out.ascii('infinity');
    else if (day === -endOfDays) out.ascii('-infinity');
    else writeDate(out, day);
  });
};

function readTimes(digits: number): CellReader {
  return (vector, count) => {
    const data = int64Of(vector, count);
    return quoteCell((row, out) => writeTime(out, data.toNumber(row), digits));
  };
}

function readTimestamps(digits: number, zoned: boolean): CellReader {
  const unit = 10 ** digits;
  return (vector, count) => {
    const data = int64Of(vector, count);
    return quoteCell((row, out) => {
      const value = data.toNumber(row);
      if (Number.isSafeInteger(value)) {
        const seconds = Math.floor(value / unit);
        writeTimestamp(out, seconds, value - seconds * unit, digits, zoned);
      } else {
        writeFarTimestamp(out, data.toBigInt(row), digits, zoned);
      }
    });
  };
}

function writeFarTimestamp(out: ByteWriter, value: bigint, digits: number, zoned: boolean): void {
  if (value >= endOfTime || value <= -endOfTime) {
    out.ascii(value < 0n ? '-infinity' : 'infinity');
    return;
  }
  const unit = 10n ** BigInt(digits);
  const fraction = ((value % unit) + unit) % unit;
  writeTimestamp(out, Number((value - fraction) / unit), Number(fraction), digits, zoned);
}

/** Text in quotes, with nothing in it to escape. */
function quoteCell(write: (row: number, out: ByteWriter) => void): WriteCell {
  return (row, out) => {
    out.reserve(48);
    out.byte(quote);
    write(row, out);
    out.byte(quote);
    return cellTags.plainText;
  };
}

const dash = 45;
const letterT = 84;
const letterZ = 90;

/** `2026-01-31`, by days since 1970. Years beyond four digits are written as ISO 8601 and JavaScript do: `+012026-01-31`. */
export function writeDate(out: ByteWriter, days: number): void {
  // the calendar repeats every 400 years; years start on 1 March, so that the leap day is the last day
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const leaps = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36524) | 0) + ((dayOfEra / 146096) | 0);
  const yearOfEra = ((dayOfEra - leaps) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);

  out.reserve(16);
  if (year >= 0 && year <= 9999) out.digits(year, 4);
  else out.ascii(`${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`);
  out.byte(dash);
  out.digits(month, 2);
  out.byte(dash);
  out.digits(day, 2);
}

/** `2026-01-31T09:30:00.123`, by seconds since 1970 and a fraction of that many digits, written without trailing zeros. */
export function writeTimestamp(out: ByteWriter, seconds: number, fraction: number, digits: number, zoned: boolean): void {
  const days = Math.floor(seconds / 86400);
  writeDate(out, days);
  out.reserve(24);
  out.byte(letterT);
  writeTimeOfDay(out, seconds - days * 86400, fraction, digits);
  if (zoned) out.byte(letterZ);
}

/** `09:30:00.5`, by units of 10^-digits seconds since midnight. */
export function writeTime(out: ByteWriter, units: number, digits: number): void {
  const seconds = Math.floor(units / 10 ** digits);
  writeTimeOfDay(out, seconds, units - seconds * 10 ** digits, digits);
}

function writeTimeOfDay(out: ByteWriter, seconds: number, fraction: number, digits: number): void {
  const hours = (seconds / 3600) | 0;
  const minutes = ((seconds - hours * 3600) / 60) | 0;
  writeClock(out, hours, minutes, seconds - hours * 3600 - minutes * 60, fraction, digits);
}
