import duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import { cellTags } from '../../../embedded/encoded-batch.ts';
import { type CellReader, dataOf, int64Of, type WriteCell } from './vector-data.ts';
import { writeDate, writeTime, writeTimestamp } from './write-time.ts';

const { Type } = duckdb;

export function timeCells(type: duckdb.LogicalType): CellReader | undefined {
  switch (duckdb.get_type_id(type)) {
    case Type.DATE:
      return dates;
    case Type.TIME:
      return times(6);
    case Type.TIME_NS:
      return times(9);
    case Type.TIMESTAMP_S:
      return timestamps(0, false);
    case Type.TIMESTAMP_MS:
      return timestamps(3, false);
    case Type.TIMESTAMP:
      return timestamps(6, false);
    case Type.TIMESTAMP_NS:
      return timestamps(9, false);
    case Type.TIMESTAMP_TZ:
      return timestamps(6, true);
    default:
      return undefined;
  }
}

const endOfDays = 2147483647; // infinity
const endOfTime = 9223372036854775807n;
const quote = 34;

const dates: CellReader = (vector, count) => {
  const days = dataOf(vector, count, Int32Array);
  return quoteCell((row, out) => {
    const day = days[row] ?? 0;
    if (day === endOfDays) out.ascii('infinity');
    else if (day === -endOfDays) out.ascii('-infinity');
    else writeDate(out, day);
  });
};

function times(digits: number): CellReader {
  return (vector, count) => {
    const data = int64Of(vector, count);
    return quoteCell((row, out) => writeTime(out, data.toNumber(row), digits));
  };
}

function timestamps(digits: number, zoned: boolean): CellReader {
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
