import type { ColumnKind, LabeledColumn } from '../../core/column.ts';
import { ByteWriter } from '../byte-writer.ts';
import type { RowBatch } from '../row-stream.ts';
import { refuseLargeCell } from './json-rows.ts';
import { type FormatOptions, type RowFormat, writeRows } from './row-format.ts';

/**
 * RFC 4180: CRLF, a header row, quotes where needed. NULL is an empty field, an empty text is `""`.
 * No byte order mark: programs read it as a part of the first label, and xlsx is the format for Excel.
 */
export const csv: RowFormat = {
  name: 'csv',
  mimeType: 'text/csv; charset=utf-8',
  isText: true,
  async *encode(columns, batches, options) {
    const out = new ByteWriter();
    writeHeader(columns, out, options.guardFormulas);
    yield* writeRows(batches, out, rowWriter(columns, options));
    yield out.take();
  },
};

function writeHeader(columns: readonly LabeledColumn[], out: ByteWriter, guardFormulas: boolean): void {
  columns.forEach(({ label }, index) => {
    if (index > 0) out.ascii(',');
    const start = out.length;
    out.utf8(label);
    delimit(out, start, guardFormulas, true);
  });
  out.ascii('\r\n');
}

function rowWriter(columns: readonly LabeledColumn[], { guardFormulas, maxCellBytes }: FormatOptions) {
  const isText = columns.map(({ kind }) => textual.has(kind));
  const count = columns.length;
  return (batch: RowBatch, row: number, out: ByteWriter): void => {
    for (let column = 0; column < count; column++) {
      if (column > 0) {
        out.reserve(1);
        out.byte(comma);
      }
      const start = out.length;
      batch.writeText(row, column, out);
      if (out.length === start) {
        if (batch.value(row, column) !== null) out.ascii('""');
        continue;
      }
      if (out.length - start > maxCellBytes) refuseLargeCell(batch, row, column, columns, maxCellBytes);
      delimit(out, start, guardFormulas, isText[column] ?? true);
    }
    out.reserve(2);
    out.byte(carriageReturn);
    out.byte(lineFeed);
  };
}

/**
 * Quotes the text written since `start` if it needs quotes. Quotes do not protect readers with another separator, such as Excel with
 * `;` in many countries: for them a cell begins after the separator, and it gets an apostrophe, too.
 */
function delimit(out: ByteWriter, start: number, guardFormulas: boolean, isText: boolean): void {
  const { bytes, length: end } = out;
  const leads = guardFormulas && startsLikeFormula(out, start, isText);
  let quotes = 0;
  let inner = 0;
  let needed = leads || isBlank(bytes[start]) || isBlank(bytes[end - 1]);
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (special[byte] === 0) continue;
    if (needsQuotes[byte] === 1) needed = true;
    if (byte === quote) quotes++;
    else if (guardFormulas && separators[byte] === 1 && formulaFollows(bytes, i + 1, end)) inner++;
  }
  if (needed || inner > 0) surround(out, start, quotes, inner, leads);
}

/** Whether a cell that begins here would be a formula; readers drop quotes before it. */
function formulaFollows(bytes: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at < end && bytes[at] === quote) at++;
  return at < end && isSign(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
}

const isSign = (first: number, second: number, third: number): boolean =>
  signs[first] === 1 || (first === wide && second === wideSecond && wideThirds[third] === 1);

/** Works from the end, so that the text moves within its buffer; the characters after the current one were moved before. */
function surround(out: ByteWriter, start: number, quotes: number, inner: number, leads: boolean): void {
  const before = leads ? 2 : 1;
  const end = out.length;
  out.reserve(before + quotes + inner + 1);
  const { bytes } = out;
  let to = end + before + quotes + inner;
  out.length = to + 1;
  bytes[to] = quote;
  let signAhead = false;
  let next = 0;
  let afterNext = 0;
  for (let from = end - 1; from >= start; from--) {
    const byte = bytes[from] ?? 0;
    if (inner > 0 && signAhead && separators[byte] === 1) bytes[--to] = apostrophe;
    bytes[--to] = byte;
    if (byte === quote) bytes[--to] = quote;
    else signAhead = isSign(byte, next, afterNext);
    afterNext = next;
    next = byte;
  }
  if (leads) bytes[--to] = apostrophe;
  bytes[--to] = quote;
}

/** A sign is harmless before a number or a time, but SQLite stores text in any column. */
function startsLikeFormula(out: ByteWriter, start: number, isText: boolean): boolean {
  const first = out.bytes[start] ?? 0;
  if (first === plus || first === minus) return isText || !hasOnlyFigures(out, start);
  return starters[first] === 1 || isSign(first, out.bytes[start + 1] ?? 0, out.bytes[start + 2] ?? 0);
}

function hasOnlyFigures({ bytes, length }: ByteWriter, start: number): boolean {
  for (let i = start; i < length; i++) if (figures[bytes[i] ?? 0] === 0) return false;
  return true;
}

const textual: ReadonlySet<ColumnKind> = new Set(['text', 'uuid', 'json', 'binary', 'interval', 'other']);

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const blank = 32;
const quote = 34;
const apostrophe = 39;
const plus = 43;
const comma = 44;
const minus = 45;
// UTF-8 bytes of the full-width signs (＝＋－＠), which a Japanese Excel treats like the ASCII ones
const wide = 0xef;
const wideSecond = 0xbc;

const isBlank = (byte: number | undefined): boolean => byte === blank || byte === tab;

const bytesOf = (characters: string): Uint8Array => {
  const marked = new Uint8Array(256);
  for (const character of characters) marked[character.charCodeAt(0)] = 1;
  return marked;
};
const starters = bytesOf('=@\t\r\n');
const signs = bytesOf('=+-@');
const wideThirds = bytesOf('\x9d\x8b\x8d\xa0');
const needsQuotes = bytesOf('",\r\n');
const separators = bytesOf(';\t|\r\n');
const special = bytesOf('",\r\n;\t|');
const figures = bytesOf('0123456789+-.:eETZ');
