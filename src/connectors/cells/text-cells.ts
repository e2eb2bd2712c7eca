import type { ColumnKind } from '../../core/column.ts';
import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import { writeJsonString } from '../../results/json-text.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import { dateText, instantText, timestampText, timeText } from './text-times.ts';

/** Converts the values of a column as the driver has them. Not called for NULL. */
export interface Cell<Value> {
  json(value: Value, out: ByteWriter): void;
  text(value: Value, out: ByteWriter): void;
  value(value: Value): SqlValue;
}

/** For values that are received as text. */
export type TextCell = Cell<string>;

/** Rows of values. Cells are decoded on demand. */
export class ValueBatch<Value> implements RowBatch {
  readonly length: number;
  readonly #rows: readonly (readonly (Value | null)[])[];
  readonly #cells: readonly Cell<Value>[];

  constructor(rows: readonly (readonly (Value | null)[])[], cells: readonly Cell<Value>[]) {
    this.length = rows.length;
    this.#rows = rows;
    this.#cells = cells;
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const value = this.#rows[row]?.[column] ?? null;
    if (value === null) out.ascii('null');
    else cellAt(this.#cells, column).json(value, out);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const value = this.#rows[row]?.[column] ?? null;
    if (value !== null) cellAt(this.#cells, column).text(value, out);
  }

  value(row: number, column: number): SqlValue {
    const value = this.#rows[row]?.[column] ?? null;
    return value === null ? null : cellAt(this.#cells, column).value(value);
  }
}

export function cellAt<Each>(cells: readonly Each[], column: number): Each {
  const cell = cells[column];
  if (cell === undefined) throw new RangeError(`There is no column ${column}.`);
  return cell;
}

/** Escaped, in quotes. */
export const textCell: TextCell = {
  json: (text, out) => writeJsonString(out, text),
  text: (text, out) => out.utf8(text),
  value: (text) => text,
};

/** Values that are converted to text, which another cell converts. */
export function convertedCell<Value>(cell: TextCell, toText: (value: Value) => string): Cell<Value> {
  return {
    json: (value, out) => cell.json(toText(value), out),
    text: (value, out) => cell.text(toText(value), out),
    value: (value) => cell.value(toText(value)),
  };
}

/** A string that is converted first. */
export const rewriteCell = (rewrite: (text: string) => string): TextCell => convertedCell(textCell, rewrite);

/** Integers of any size: JSON numbers where no client would round them, strings otherwise. */
export const integerCell: TextCell = {
  json: (text, out) => out.ascii(isSafeWhole(text, text.length) ? text : `"${text}"`),
  text: (text, out) => out.ascii(text),
  value: parseWhole,
};

/** Exact decimals with all digits; NaN and the infinities are NULL. */
export const decimalCell: TextCell = {
  json(text, out) {
    if (!startsWithDigit(text)) {
      out.ascii('null');
      return;
    }
    const point = text.indexOf('.');
    out.ascii(isSafeWhole(text, point < 0 ? text.length : point) ? text : `"${text}"`);
  },
  text: (text, out) => out.ascii(startsWithDigit(text) ? text : ''),
  value(text) {
    if (!startsWithDigit(text)) return null;
    return text.includes('.') ? text : parseWhole(text);
  },
};

/** Floating point whose text is the shortest that reads back as the same number; NaN and the infinities are NULL. */
export const floatCell: TextCell = {
  json: (text, out) => out.ascii(floatText(text) || 'null'),
  text: (text, out) => out.ascii(floatText(text)),
  value: (text) => (startsWithDigit(text) ? Number(text) : null),
};

/** `yes` is the engine's text for true, such as `t` or `1`. */
export function booleanCell(yes: string): TextCell {
  const write = (text: string, out: ByteWriter): void => out.ascii(text === yes ? 'true' : 'false');
  return { json: write, text: write, value: (text) => text === yes };
}

/** Base64; `decode` reads the text that the engine writes for bytes. */
export function binaryCell(decode: (text: string) => Buffer): TextCell {
  return {
    json: (text, out) => out.ascii(`"${decode(text).toString('base64')}"`),
    text: (text, out) => out.ascii(decode(text).toString('base64')),
    value: (text) => new Uint8Array(decode(text)),
  };
}

/** JSON that the engine has validated is nested, on one line. */
export const jsonCell: TextCell = {
  // line breaks and tabs are between tokens; ndjson needs one line per row
  json: (text, out) => out.utf8(breaks.test(text) ? text.replace(allBreaks, ' ') : text),
  text: (text, out) => out.utf8(text),
  value: (text) => text,
};

/** The default cell of a kind. */
export const plainCells: Readonly<Record<Exclude<ColumnKind, 'boolean' | 'binary'>, TextCell>> = {
  integer: integerCell,
  decimal: decimalCell,
  float: floatCell,
  date: rewriteCell(dateText),
  time: rewriteCell(timeText),
  timestamp: rewriteCell(timestampText),
  timestamptz: rewriteCell(instantText), // text with an offset, or in UTC without one
  interval: textCell,
  text: textCell,
  uuid: textCell,
  json: jsonCell,
  other: textCell,
  undeclared: textCell,
};

const breaks = /[\n\r\t]/;
const allBreaks = /[\n\r\t]/g;
const minus = 45;
const zero = 48;
const nine = 57;
const largest = String(Number.MAX_SAFE_INTEGER);

function startsWithDigit(text: string): boolean {
  const first = text.charCodeAt(0);
  const digit = first === minus ? text.charCodeAt(1) : first;
  return digit >= zero && digit <= nine;
}

/** Whether the digits before `end` are within ±9007199254740991. */
function isSafeWhole(text: string, end: number): boolean {
  if (end < largest.length) return true;
  const start = text.charCodeAt(0) === minus ? 1 : 0;
  const digits = end - start;
  return digits < largest.length || (digits === largest.length && text.slice(start, end) <= largest);
}

function parseWhole(text: string): number | bigint {
  return isSafeWhole(text, text.length) ? Number(text) : BigInt(text);
}

function floatText(text: string): string {
  if (!startsWithDigit(text)) return '';
  return text.includes('e') || text.includes('E') ? String(Number(text)) : text;
}
