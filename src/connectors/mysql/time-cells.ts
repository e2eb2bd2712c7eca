import { ByteWriter } from '../../results/byte-writer.ts';
import type { Cell } from './cells.ts';

/** Dates and times are sent as their parts; trailing parts that are zero are omitted. Zero dates (`0000-00-00`) are kept. */

/** `2026-01-31` */
export const dateCell: Cell = clockCell(writeDate);

/** `2026-01-31T09:30:00.123` */
export const datetimeCell: Cell = clockCell(writeDatetime);

/** An instant, in the session's time zone, which is UTC: `2026-01-31T09:30:00.123Z` */
export const timestampCell: Cell = clockCell((bytes, at, out) => {
  writeDatetime(bytes, at, out);
  out.ascii('Z');
});

/** A span of up to 838 hours, either way: `-12:30:00.5` */
export const timeCell: Cell = clockCell((bytes, at, out) => {
  const length = bytes[at] ?? 0;
  if (length === 0) {
    out.ascii('00:00:00');
    return;
  }
  if (bytes[at + 1] === 1) out.ascii('-');
  const hours = bytes.readUInt32LE(at + 2) * 24 + (bytes[at + 6] ?? 0);
  writeClock(out, hours, bytes[at + 7], bytes[at + 8], length > 8 ? bytes.readUInt32LE(at + 9) : 0);
});

type Write = (bytes: Buffer, at: number, out: ByteWriter) => void;

function clockCell(write: Write): Cell {
  return {
    width: 'clock',
    json(bytes, at, out) {
      out.ascii('"');
      write(bytes, at, out);
      out.ascii('"');
    },
    text: write,
    value(bytes, at) {
      scratch.clear();
      write(bytes, at, scratch);
      return scratch.view().toString('latin1');
    },
  };
}

const scratch = new ByteWriter(64);
const dash = 45;
const colon = 58;
const point = 46;

function writeDate(bytes: Buffer, at: number, out: ByteWriter): void {
  const length = bytes[at] ?? 0;
  out.reserve(10);
  out.digits(length > 0 ? bytes.readUInt16LE(at + 1) : 0, 4);
  out.byte(dash);
  out.digits(length > 0 ? (bytes[at + 3] ?? 0) : 0, 2);
  out.byte(dash);
  out.digits(length > 0 ? (bytes[at + 4] ?? 0) : 0, 2);
}

function writeDatetime(bytes: Buffer, at: number, out: ByteWriter): void {
  const length = bytes[at] ?? 0;
  writeDate(bytes, at, out);
  out.ascii('T');
  if (length > 4) writeClock(out, bytes[at + 5], bytes[at + 6], bytes[at + 7], length > 7 ? bytes.readUInt32LE(at + 8) : 0);
  else out.ascii('00:00:00');
}

/** The fraction is written without zeros at its end. */
function writeClock(out: ByteWriter, hours = 0, minutes = 0, seconds = 0, micros = 0): void {
  out.reserve(24);
  out.digits(hours, hours < 100 ? 2 : 3);
  out.byte(colon);
  out.digits(minutes, 2);
  out.byte(colon);
  out.digits(seconds, 2);
  if (micros === 0) return;
  let digits = 6;
  while (micros % 10 === 0) {
    micros /= 10;
    digits--;
  }
  out.byte(point);
  out.digits(micros, digits);
}
