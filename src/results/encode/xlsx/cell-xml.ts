import type { ColumnKind, LabeledColumn } from '../../../core/column.ts';
import type { ByteWriter } from '../../byte-writer.ts';
import type { RowBatch } from '../../row-stream.ts';
import { refuseLargeCell } from '../json-rows.ts';
import { type Moment, readMoment } from '../moment-text.ts';
import { cellStyles, cut } from './workbook-parts.ts';

export const mostCharacters = 32_767; // Excel's limit per cell

/**
 * Writes the rows of a sheet. Text that needs no escaping is copied from the batch without creating a string; other text is discarded
 * and written again.
 */
export function createRowXml(
  columns: readonly LabeledColumn[],
  styles: ReadonlyMap<LabeledColumn, number>,
  { maxCellBytes, onCut }: { maxCellBytes: number; onCut: (reference: string, length: number) => void },
) {
  const prefixes = columns.map((_, index) => Buffer.from(`<c r="${lettersOf(index)}`));
  const writers = columns.map(({ kind }) => writerOf[kind] ?? writeTextCell);
  const numberStarts = columns.map((column) => styleStart(styles.get(column)));
  const cell: Cell = { prefix: Buffer.alloc(0), numberStart: styleStart(undefined), column: 0, rowNumber: 0, cutFrom: 0 };

  return {
    writeRow(batch: RowBatch, row: number, rowNumber: number, out: ByteWriter): void {
      cell.rowNumber = rowNumber;
      openRow(out, rowNumber);
      for (let column = 0; column < writers.length; column++) {
        cell.prefix = prefixes[column] ?? cell.prefix;
        cell.numberStart = numberStarts[column] ?? cell.numberStart;
        cell.column = column;
        const start = out.length;
        writers[column]?.(batch, row, cell, out);
        if (cell.cutFrom === 0 && out.length - start <= maxCellBytes) continue;
        refuseLargeCell(batch, row, column, columns, maxCellBytes);
        if (cell.cutFrom > 0) onCut(lettersOf(column) + rowNumber, cell.cutFrom);
        cell.cutFrom = 0;
      }
      out.copy(rowEnd);
    },
    writeHeader(out: ByteWriter): void {
      cell.rowNumber = 1;
      openRow(out, 1);
      columns.forEach(({ label }, column) => {
        cell.prefix = prefixes[column] ?? cell.prefix;
        cell.column = column;
        writeEscaped(label, cell, out, ` s="${cellStyles.header}"`);
      });
      cell.cutFrom = 0;
      out.copy(rowEnd);
    },
  };
}

/** `A`, …, `Z`, `AA`, … */
function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last;
}

/** Escapes text for XML; characters that XML does not allow are written as Excel writes them. */
export function escapeXml(text: string): string {
  return text.replace(needEscape, (character) => {
    const named = entities[character];
    return named ?? `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}

/** The cell that is being written. */
interface Cell {
  prefix: Buffer;
  numberStart: Buffer; // with the style of the numbers of its column
  column: number;
  rowNumber: number;
  cutFrom: number; // length of its text before it was cut; 0: not cut
}

type WriteCell = (batch: RowBatch, row: number, cell: Cell, out: ByteWriter) => void;

/** Excel keeps 15 digits: exact numbers with more digits are stored as text. */
const writeExactNumber: WriteCell = (batch, row, cell, out) => writeNumber(batch, row, cell, out, 15);
/** Excel stores doubles exactly, although it shows fewer digits. */
const writeDouble: WriteCell = (batch, row, cell, out) => writeNumber(batch, row, cell, out, 17);

function writeNumber(batch: RowBatch, row: number, cell: Cell, out: ByteWriter, mostDigits: number): void {
  const start = open(out, cell, cell.numberStart);
  const from = out.length;
  batch.writeText(row, cell.column, out);
  if (out.length > from && isNumber(out.bytes, from, out.length, mostDigits)) {
    out.copy(valueEnd);
    return;
  }
  out.length = start;
  writeValue(batch, row, cell, out);
}

const writeMoment: WriteCell = (batch, row, cell, out) => {
  const { length } = out;
  batch.writeText(row, cell.column, out);
  const { bytes, length: end } = out;
  out.length = length;
  if (end === length || !readMoment(bytes, length, end, moment) || moment.days < firstDay || moment.days > lastDay) {
    writeValue(batch, row, cell, out);
    return;
  }
  const isInstant = bytes[end - 1] === letterZ;
  const isDate = end - length <= 10;
  const style = isDate ? dateStart : (isInstant ? instantStarts : timestampStarts)[moment.nanos === 0 ? 0 : 1];
  open(out, cell, style ?? dateStart);
  if (isDate) out.integer(moment.days + serialOf1970);
  else out.ascii(String(moment.days + serialOf1970 + (moment.seconds + moment.nanos / 1e9) / 86400));
  out.copy(valueEnd);
};

/** Writes by the type of the value, not by the declared type of its column. */
const writeValue: WriteCell = (batch, row, cell, out) => {
  const value = batch.value(row, cell.column);
  if (value === null) return;
  if (typeof value === 'boolean') {
    open(out, cell, booleanStart);
    out.ascii(value ? '1' : '0');
    out.copy(valueEnd);
  } else if (typeof value === 'number' && !(Number.isInteger(value) && Math.abs(value) >= 1e15)) {
    open(out, cell, cell.numberStart);
    out.ascii(String(value));
    out.copy(valueEnd);
  } else {
    writeEscaped(value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value), cell, out);
  }
};

const writeTextCell: WriteCell = (batch, row, cell, out) => {
  const start = open(out, cell, textStart);
  const from = out.length;
  batch.writeText(row, cell.column, out);
  if (out.length === from) {
    out.length = start;
    // an empty text is a cell, NULL is not
    if (batch.value(row, cell.column) !== null) writeEscaped('', cell, out);
    return;
  }
  if (isPlain(out.bytes, from, out.length)) {
    out.copy(textEnd);
    return;
  }
  const text = out.bytes.toString('utf8', from, out.length);
  out.length = start;
  writeEscaped(text, cell, out);
};

function writeEscaped(text: string, cell: Cell, out: ByteWriter, style = ''): void {
  if (text.length > mostCharacters) cell.cutFrom = text.length;
  open(out, cell, Buffer.from(`"${style} t="inlineStr"><is><t xml:space="preserve">`));
  out.utf8(escapeXml(cut(text, mostCharacters)));
  out.copy(textEnd);
}

const writerOf: Partial<Record<ColumnKind, WriteCell>> = {
  integer: writeExactNumber,
  decimal: writeExactNumber,
  float: writeDouble,
  boolean: writeValue,
  date: writeMoment,
  timestamp: writeMoment,
  timestamptz: writeMoment,
  undeclared: writeValue,
};

function openRow(out: ByteWriter, rowNumber: number): void {
  out.copy(rowStart);
  out.integer(rowNumber);
  out.copy(rowStartEnd);
}

/** Writes `<c r="B7` and `rest`; returns the offset of the cell. */
function open(out: ByteWriter, { prefix, rowNumber }: Cell, rest: Buffer): number {
  const start = out.length;
  out.copy(prefix);
  out.integer(rowNumber);
  out.copy(rest);
  return start;
}

/** Whether it is a decimal number with at most `mostDigits` significant digits; doubles may have an exponent. */
function isNumber(bytes: Buffer, start: number, end: number, mostDigits: number): boolean {
  let at = bytes[start] === minus ? start + 1 : start;
  if (!isDigit(bytes[at])) return false;
  let digits = 0;
  let zeros = 0; // trailing zeros of the fraction
  let hasPoint = false;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (isDigit(byte)) {
      zeros = byte === zero && hasPoint ? zeros + 1 : 0;
      if (digits > 0 || byte !== zero) digits++;
    } else if (byte === point && !hasPoint) hasPoint = true;
    else return mostDigits > 15 && hasExponent(bytes, at, end);
  }
  return digits - zeros <= mostDigits;
}

const hasExponent = (bytes: Buffer, at: number, end: number): boolean => /^[eE][+-]?\d+$/.test(bytes.toString('latin1', at, end));

function isPlain(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > mostCharacters || bytes[start] === blank || bytes[end - 1] === blank) return false;
  for (let i = start; i < end; i++) {
    const suspect = suspects[bytes[i] ?? 0];
    if (suspect === 0) continue;
    if (suspect === 1) return false;
    if (bytes[i] === underscore ? bytes[i + 1] === letterX : bytes[i + 1] === 0xbf && (bytes[i + 2] ?? 0) >= 0xbe) return false;
  }
  return true;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= 57;

const moment: Moment = { days: 0, seconds: 0, nanos: 0 };
const serialOf1970 = 25_569;
const firstDay = 61 - serialOf1970; // 1900-03-01: before it, Excel counts a day that did not exist
const lastDay = 2_958_465 - serialOf1970; // 9999-12-31

const blank = 32;
const minus = 45;
const point = 46;
const zero = 48;
const letterZ = 90;
const underscore = 95;
const letterX = 120;

const rowStart = Buffer.from('<row r="');
const rowStartEnd = Buffer.from('">');
const rowEnd = Buffer.from('</row>');
const booleanStart = Buffer.from('" t="b"><v>');
const styleStart = (style: number | undefined): Buffer => Buffer.from(style === undefined ? '"><v>' : `" s="${style}"><v>`);
const dateStart = styleStart(cellStyles.date);
const timestampStarts = [styleStart(cellStyles.timestamp), styleStart(cellStyles.timestampWithFraction)] as const;
const instantStarts = [styleStart(cellStyles.instant), styleStart(cellStyles.instantWithFraction)] as const;
const valueEnd = Buffer.from('</v></c>');
const textStart = Buffer.from('" t="inlineStr"><is><t>');
const textEnd = Buffer.from('</t></is></c>');

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const needEscape = /[&<>"\ufffe\uffff]|(?![\t\n])\p{Cc}|_(?=x[0-9a-fA-F]{4}_)/gu;

/** 1: needs escaping; 2: depends on the next bytes (`_x0041_`, U+FFFE). */
const suspects = new Uint8Array(256);
suspects.fill(1, 0, 32);
for (const character of '&<>') suspects[character.charCodeAt(0)] = 1;
suspects[underscore] = 2;
suspects[0xef] = 2;
