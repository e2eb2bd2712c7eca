import type { Column, ColumnKind } from '../../core/column.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import { writeJsonString } from '../../results/json-text.ts';
import { booleanCell as booleanByteCell, type ByteCell as PlainByteCell, decodedCell, utf8Cell } from '../cells/byte-cells.ts';
import { createNestedCell } from '../cells/nested-json.ts';
import { binaryCell, booleanCell, jsonCell, plainCells, type TextCell } from '../cells/text-cells.ts';

/** Converts a cell whose text is in `bytes`. */
export interface ByteCell extends PlainByteCell {
  /** The form that `writeRow` may write inline; other values are written by `json`. */
  readonly form: CellForm;
}

export type CellForm = (typeof cellForms)[keyof typeof cellForms];
export const cellForms = { other: 0, text: 1, number: 2, timestamp: 3 } as const;

/** Cells by PostgreSQL's text of a kind. */
export function textCellOf(kind: ColumnKind): TextCell {
  if (kind === 'boolean') return booleanCell('t');
  if (kind === 'binary') return binaryCell((text) => Buffer.from(text.slice(2), 'hex')); // \x00ff
  return plainCells[kind];
}

/** The same from bytes. Usual values are copied without decoding; the others are converted from their text. */
export function byteCellOf(kind: ColumnKind, cell: TextCell): ByteCell {
  const slow: ByteCell = {
    form: cellForms.other,
    ...decodedCell(cell, (bytes, start, end) => bytes.toString('utf8', start, end)),
  };
  if (kind === 'boolean') return booleans;
  const isPlain = plainTests[kind];
  if (isPlain !== undefined)
    return { ...copyCell(slow, isPlain, ''), form: kind === 'float' ? cellForms.other : cellForms.number };
  if (cell === jsonCell) return copyCell(slow, hasNoBreaks, '');
  if (kind === 'timestamp' || kind === 'timestamptz') return instants(slow, kind === 'timestamptz');
  if (kind === 'date' || kind === 'time') return copyCell(slow, kind === 'date' ? isDate : isTime, '"');
  if (cell === plainCells.text) return { form: cellForms.text, ...utf8Cell };
  return slow;
}

const booleans: ByteCell = { form: cellForms.other, ...booleanByteCell((bytes, start) => bytes[start] === letterSmallT) };

type Test = (bytes: Buffer, start: number, end: number) => boolean;

/** Text that passes the test is valid JSON when quoted. */
function copyCell(slow: ByteCell, isPlain: Test, quotes: '' | '"'): ByteCell {
  return {
    form: cellForms.other,
    json(bytes, start, end, out) {
      if (!isPlain(bytes, start, end)) {
        slow.json(bytes, start, end, out);
        return;
      }
      out.reserve(end - start + 2);
      if (quotes !== '') out.byte(quote);
      out.copyRange(bytes, start, end);
      if (quotes !== '') out.byte(quote);
    },
    text(bytes, start, end, out) {
      if (isPlain(bytes, start, end)) out.copyRange(bytes, start, end);
      else slow.text(bytes, start, end, out);
    },
    value: slow.value,
  };
}

/** `2026-01-31 09:30:00.5+00`: the server leaves out trailing zeros by itself. */
function instants(slow: ByteCell, zoned: boolean): ByteCell {
  const zone = zoned ? 3 : 0;
  const write = (bytes: Buffer, start: number, end: number, out: ByteWriter): boolean => {
    const isUsual =
      bytes[start + 4] === dash && bytes[start + 10] === blank && end - start <= 26 + zone && isDigit(bytes[end - 1]);
    if (!isUsual || (zoned && !endsInUtc(bytes, end))) return false;
    const at = out.length;
    out.copyRange(bytes, start, end - zone);
    out.bytes[at + 10] = letterT;
    if (zoned) {
      out.reserve(1);
      out.byte(letterZ);
    }
    return true;
  };
  return {
    form: zoned ? cellForms.other : cellForms.timestamp,
    json(bytes, start, end, out) {
      const at = out.length;
      out.reserve(32);
      out.byte(quote);
      if (write(bytes, start, end, out)) {
        out.reserve(1);
        out.byte(quote);
        return;
      }
      out.length = at;
      slow.json(bytes, start, end, out);
    },
    text(bytes, start, end, out) {
      if (!write(bytes, start, end, out)) slow.text(bytes, start, end, out);
    },
    value: slow.value,
  };
}

const quote = 34;
const plus = 43;
const dash = 45;
const blank = 32;
const zero = 48;
const colon = 58;
const letterT = 84;
const letterZ = 90;
const letterSmallT = 116;

const endsInUtc = (bytes: Buffer, end: number): boolean =>
  bytes[end - 3] === plus && bytes[end - 2] === zero && bytes[end - 1] === zero;
export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57;
export const safeDigits = 15; // no client rounds them, also with a sign and a point

/** Not NaN, not Infinity. */
export const startsAsNumber = (bytes: Buffer, start: number): boolean =>
  isDigit(bytes[start]) || (bytes[start] === dash && isDigit(bytes[start + 1]));

const plainTests: Partial<Record<ColumnKind, Test>> = {
  integer: (_bytes, start, end) => end - start <= safeDigits,
  decimal: (bytes, start, end) => end - start <= safeDigits && startsAsNumber(bytes, start),
  float: (bytes, start, end) => startsAsNumber(bytes, start) && !hasExponent(bytes, start, end),
};

const isDate: Test = (bytes, start, end) => end - start === 10 && bytes[start + 4] === dash;
const isTime: Test = (bytes, start, end) => end - start === 8 && bytes[start + 2] === colon;

function hasExponent(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === 101) return true;
  return false;
}

function hasNoBreaks(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if ((bytes[i] ?? 0) < blank) return false;
  return true;
}

/** `{1,NULL,"a \"b\""}` as `[1,null,"a \"b\""]`, by the cell of its elements. */
export function arrayCell(element: TextCell, delimiter: string): TextCell {
  return createNestedCell((text, out) => {
    // bounds that do not start at 1 come first: [0:1]={1,2}
    new Reader(text, text.indexOf('{')).array(element, delimiter, out);
  });
}

/** `(1,"a b",)` as `{"id":1,"name":"a b","note":null}`. */
export function createCompositeCell(attributes: readonly { readonly name: string; readonly cell: TextCell }[]): TextCell {
  return createNestedCell((text, out) => {
    const fields = new Reader(text, 0).fields();
    if (fields.length !== attributes.length) {
      writeJsonString(out, text); // the type has changed since the lookup
      return;
    }
    attributes.forEach(({ name, cell }, index) => {
      out.ascii(index === 0 ? '{' : ',');
      writeJsonString(out, name);
      out.ascii(':');
      const field = fields[index] ?? null;
      if (field === null) out.ascii('null');
      else cell.json(field, out);
    });
    out.ascii('}');
  });
}

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  array(element: TextCell, delimiter: string, out: ByteWriter): void {
    this.#at++; // {
    out.ascii('[');
    for (let first = true; this.#char() !== '}' && this.#char() !== ''; first = false) {
      if (!first) out.ascii(',');
      if (this.#char() === '{') this.array(element, delimiter, out);
      else if (this.#char() === '"') element.json(this.#readQuoted(), out);
      else this.#readBare(element, delimiter, out);
      if (this.#char() === delimiter) this.#at++;
    }
    this.#at++; // }
    out.ascii(']');
  }

  fields(): (string | null)[] {
    const found: (string | null)[] = [];
    while (this.#at < this.#text.length - 1) {
      this.#at++; // ( or ,
      const char = this.#char();
      if (char === ',' || char === ')') found.push(null);
      else found.push(char === '"' ? this.#readQuoted() : this.#readUntil(',)'));
      if (this.#char() === ')') break;
    }
    return found;
  }

  #readBare(element: TextCell, delimiter: string, out: ByteWriter): void {
    const text = this.#readUntil(`${delimiter}}`);
    if (text === 'NULL') out.ascii('null');
    else element.json(text, out);
  }

  #readUntil(ends: string): string {
    const start = this.#at;
    while (!ends.includes(this.#char()) && this.#char() !== '') this.#at++;
    return this.#text.slice(start, this.#at);
  }

  /** Quotes and backslashes are escaped by a backslash, or by being doubled. */
  #readQuoted(): string {
    let found = '';
    let start = ++this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#char();
      if (char !== '"' && char !== '\\') continue;
      const next = this.#text.charAt(this.#at + 1);
      if (char === '"' && next !== '"') break;
      found += this.#text.slice(start, this.#at) + next;
      start = ++this.#at + 1;
    }
    found += this.#text.slice(start, this.#at);
    this.#at++;
    return found;
  }

  #char(): string {
    return this.#text.charAt(this.#at);
  }
}

export interface TypedColumns {
  readonly columns: readonly Column[];
  readonly cells: readonly ByteCell[];
}

/** A named prepared statement. */
export interface Prepared extends TypedColumns {
  readonly key: string;
  readonly name: string;
}
