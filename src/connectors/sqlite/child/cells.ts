import type { StatementSync } from 'node:sqlite';
import type { Column, ColumnKind } from '../../../core/column.ts';
import type { ByteWriter } from '../../../results/byte-writer.ts';
import { isJson } from '../../../results/json-text.ts';
import type { WriteCell } from '../../embedded/child/batch-encoder.ts';
import { cellTags } from '../../embedded/frames.ts';

/** Writes a cell as JSON and returns its tag. */
type CellWriter = (value: unknown, out: ByteWriter) => number;

export function writerOf(columns: readonly Column[]): WriteCell<readonly unknown[]> {
  const ofColumns = columns.map(({ kind }) => writers[kind] ?? writeCell);
  return (row, column, out) => (ofColumns[column] ?? writeCell)(row[column], out);
}

/** By the storage class of the cell, whatever its column declares. */
const writeCell: CellWriter = (value, out) => {
  switch (typeof value) {
    case 'bigint':
      return writeInteger(value, out);
    case 'number':
      return writeReal(value, out);
    case 'string':
      return writeString(value, out);
    default:
      return value instanceof Uint8Array ? writeBlob(value, out) : writeNull(out);
  }
};

const writeMoment =
  (kind: ColumnKind): CellWriter =>
  (value, out) =>
    typeof value === 'string' ? writeString(formatMoment(value, kind), out) : writeCell(value, out);

/** Conversions by the declared type, for cells that match it. */
const writers: Partial<Record<ColumnKind, CellWriter>> = {
  boolean(value, out) {
    if (value !== 0n && value !== 1n) return writeCell(value, out);
    out.ascii(value === 1n ? 'true' : 'false');
    return cellTags.boolean;
  },
  json(value, out) {
    if (typeof value !== 'string' || !isJson(value)) return writeCell(value, out);
    out.utf8(value.replace(/[\n\r\t]/g, ' ')); // between its tokens; inside of strings they are escaped
    return cellTags.verbatim;
  },
  timestamp: writeMoment('timestamp'),
  timestamptz: writeMoment('timestamptz'),
};

function writeInteger(value: bigint, out: ByteWriter): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) {
    out.integer(number);
    return cellTags.integer;
  }
  out.ascii(`"${value}"`);
  return cellTags.bigInteger;
}

function writeReal(value: number, out: ByteWriter): number {
  if (!Number.isFinite(value)) return writeNull(out); // JSON has no infinities
  out.ascii(Object.is(value, -0) ? '-0' : String(value));
  return cellTags.real;
}

function writeString(text: string, out: ByteWriter): number {
  const { length } = text;
  out.reserve(length * 3 + 2);
  const start = out.length;
  out.byte(quote);
  if (length <= loopUpTo) {
    const { bytes } = out;
    let at = start + 1;
    let i = 0;
    for (; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code < 32 || code > 126 || code === quote || code === backslash) break;
      bytes[at++] = code;
    }
    if (i === length) {
      out.length = at;
      out.byte(quote);
      return cellTags.plainText;
    }
  }
  if (needsNoEscape.test(text)) {
    out.utf8(text);
    out.byte(quote);
    return cellTags.plainText;
  }
  out.length = start;
  out.utf8(JSON.stringify(text));
  return cellTags.escapedText;
}

function writeBlob(value: Uint8Array, out: ByteWriter): number {
  out.ascii(`"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`);
  return cellTags.blob;
}

function writeNull(out: ByteWriter): number {
  out.ascii('null');
  return cellTags.null;
}

const quote = 34;
const backslash = 92;
const loopUpTo = 64; // above, one call is faster than the loop
const needsNoEscape = /^[\x20\x21\x23-\x5b\x5d-\ud7ff]*$/;

const undeclared = 'ANY'; // SQLite's name for a column of any type

export const columnsOf = (statement: StatementSync): Column[] =>
  statement.columns().map(({ name, type }) => ({ name, type: type || undeclared, kind: kindOf(type) }));

/** By the declared type of the column. Cells may have other types: each is converted by its own. */
function kindOf(declared: string | null): ColumnKind {
  const type = (declared ?? '').trim().toUpperCase();
  if (type === '' || type === undeclared) return 'undeclared';
  return kinds.find(([pattern]) => pattern.test(type))?.[1] ?? 'other';
}

/** Common type names; others follow SQLite's rules of affinity. */
const kinds: readonly (readonly [RegExp, ColumnKind])[] = [
  [/^BOOL(EAN)?\b/, 'boolean'],
  [/^DATE$/, 'date'],
  [/^(TIMESTAMPTZ|(TIMESTAMP|DATETIME)( ?\(\d+\))? WITH TIME ZONE|DATETIMEOFFSET)\b/, 'timestamptz'],
  [/^(TIMESTAMP|DATETIME|SMALLDATETIME)/, 'timestamp'],
  [/^TIME\b/, 'time'],
  [/^INTERVAL\b/, 'interval'],
  [/^JSON$/, 'json'],
  [/^(UUID|GUID|UNIQUEIDENTIFIER)$/, 'uuid'],
  [/^(DEC(IMAL)?|NUMERIC|NUMBER|MONEY|CURRENCY)\b/, 'decimal'],
  [/POINT/, 'other'],
  [/INT/, 'integer'],
  [/CHAR|CLOB|TEXT|STRING/, 'text'],
  [/BLOB|BINARY|BYTEA/, 'binary'],
  [/REAL|FLOA|DOUB/, 'float'],
];

/**
 * A date and time in the format of SQLite's functions (`2026-01-31 09:30:00.120`) as ISO 8601 (`2026-01-31T09:30:00.12`). In a
 * column that was declared with a time zone it is UTC, as SQLite assumes. Other text stays as it is.
 */
export function formatMoment(text: string, kind: ColumnKind): string {
  const match = moment.exec(text);
  if (match === null) return text;
  const [, date = '', time = '', digits = '', zone = ''] = match;
  const fraction = digits.replace(/(?<!0)0+$/, '');
  const local = `${date}T${time}`;
  const shown = fraction === '' ? local : `${local}.${fraction}`;
  if (kind !== 'timestamptz') return shown + zone;
  if (zone === '' || zone === 'Z') return `${shown}Z`;
  const utc = new Date(Date.parse(`${local}${zone}`));
  if (Number.isNaN(utc.getTime())) return text;
  return `${utc.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

const moment = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/;
