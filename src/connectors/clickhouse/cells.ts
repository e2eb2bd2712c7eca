import { type TimeZone, timeZone as timeZoneOf } from '../../catalog/time-zone.ts';
import type { Column, ColumnKind } from '../../core/column.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import { type ByteCell, decodedCell } from '../cells/byte-cells.ts';
import { arrayWriter, createNestedCell, fieldsWriter, objectWriter, type WriteValue } from '../cells/nested-json.ts';
import { booleanCell, plainCells, rewriteCell, type TextCell, textCell } from '../cells/text-cells.ts';
import { instantText, toInstant } from '../cells/text-times.ts';
import type { NamedType } from './result-reader.ts';

export interface JsonCell extends ByteCell {
  /** Whether callers receive the JSON of a cell as it is. */
  readonly isUsual?: IsUsual;
}
type IsUsual = (bytes: Buffer, start: number, end: number) => boolean;

/** Converts the JSON of each column's cells. `timeZone` is the server's, for types without a time zone. */
export function cellsOf(columns: readonly NamedType[], timeZone: string): readonly JsonCell[] {
  return columns.map(({ type }) => {
    const parsed = parseType(type);
    const kind = kindOf(parsed.name);
    if (kind !== 'json') return scalarBytes(kind, scalarCell(parsed, timeZone), parsed.zone ?? timeZone);
    const write = writerOf(parsed, timeZone);
    const cell = createNestedCell<string>((raw, out) => write(JSON.parse(raw, withDigits), out));
    return decodedCell(cell, (bytes, start, end) => bytes.toString('utf8', start, end));
  });
}

/** Usual values are copied as they were received; the others are decoded. */
function scalarBytes(kind: ColumnKind, cell: TextCell, zone: string): JsonCell {
  const decoded = decodedCell(cell, unquote);
  const isUsual = cell === textCell ? isPlainString : usual[kind];
  if (isUsual === undefined) return decoded;
  const clock = kind === 'timestamptz' ? timeZoneOf(zone) : undefined;
  return {
    ...decoded,
    isUsual,
    json(bytes, start, end, out) {
      if (isUsual(bytes, start, end)) out.copyRange(bytes, start, end);
      else if (clock !== undefined && isLocal(bytes, start, end)) writeInstant(bytes, start, clock, out);
      else decoded.json(bytes, start, end, out);
    },
  };
}

const isPlainString: IsUsual = (bytes, start, end) => bytes[start] === quote && !hasEscape(bytes, start, end);

/** A number that no client would round. */
const isShortNumber: IsUsual = (bytes, start, end) => {
  if (end - start > 15) return false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte < zero || byte > nine) && byte !== dash && byte !== point) return false;
  }
  return true;
};

const usual: Readonly<Partial<Record<ColumnKind, IsUsual>>> = {
  integer: isShortNumber,
  decimal: isShortNumber,
  float: isShortNumber,
  date: (bytes, start, end) => end - start === 12 && bytes[start + 5] === dash, // "2026-01-31"
  timestamptz: (bytes, start, end) => end - start === 22 && bytes[start + 11] === letterT && bytes[end - 2] === letterZ,
};

/** `"2026-01-31 09:30:00"` in the years from 1000 on, as older servers write it. */
const isLocal: IsUsual = (bytes, start, end) =>
  end - start === 21 && bytes[start + 1] !== zero && bytes[start + 5] === dash && bytes[start + 11] === blank;

function writeInstant(bytes: Buffer, start: number, zone: TimeZone, out: ByteWriter): void {
  const two = (at: number): number => ((bytes[start + at] ?? 0) - zero) * 10 + (bytes[start + at + 1] ?? 0) - zero;
  const clock = Date.UTC(two(1) * 100 + two(3), two(6) - 1, two(9), two(12), two(15), two(18));
  const instant = new Date(zone.instantOf(clock));
  const from = out.length;
  out.copyRange(bytes, start, start + 20); // the marks between the digits
  const write = (at: number, value: number, digits: number): void => {
    out.length = from + at;
    out.digits(value, digits);
  };
  write(1, instant.getUTCFullYear(), 4);
  write(6, instant.getUTCMonth() + 1, 2);
  write(9, instant.getUTCDate(), 2);
  write(12, instant.getUTCHours(), 2);
  write(15, instant.getUTCMinutes(), 2);
  write(18, instant.getUTCSeconds(), 2);
  out.bytes[from + 11] = letterT;
  out.ascii('Z"');
}

/** The text of a JSON string or number. */
function unquote(bytes: Buffer, start: number, end: number): string {
  if (bytes[start] !== quote) return bytes.toString('latin1', start, end);
  return hasEscape(bytes, start, end)
    ? JSON.parse(bytes.toString('utf8', start, end))
    : bytes.toString('utf8', start + 1, end - 1);
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return true;
  return false;
}

const blank = 32;
const quote = 34;
const dash = 45;
const point = 46;
const zero = 48;
const nine = 57;
const letterT = 84;
const letterZ = 90;
const backslash = 92;

function scalarCell({ name, zone }: TypeName, timeZone: string): TextCell {
  const kind = kindOf(name);
  if (kind === 'boolean') return booleanCell('true');
  if (kind === 'timestamptz') return rewriteCell((text) => instantOf(text, zone ?? timeZone));
  return kind === 'binary' || kind === 'json' ? textCell : plainCells[kind];
}

/** Servers write ISO 8601 with Z; older ones write local time. */
const instantOf = (text: string, zone: string): string => (text.endsWith('Z') ? instantText(text) : toInstant(`${text} ${zone}`));

/** A number as it was written. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const withDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? new Digits(context?.source ?? String(value)) : value;

function writerOf(type: TypeName, timeZone: string): WriteValue {
  const writerOfMember = (member: TypeName | undefined): WriteValue =>
    member === undefined ? writeAnything : writerOf(member, timeZone);
  if (type.name === 'Array') return arrayWriter(writerOfMember(type.members[0]));
  if (type.name === 'Map') return objectWriter(writerOfMember(type.members[1]));
  if (type.name === 'Tuple' || type.name === 'Nested') {
    // servers write named tuples as objects or lists; we always write objects
    const fields = type.members.map((member, index) => ({ name: type.fields[index], write: writerOfMember(member) }));
    const tuple = fieldsWriter(fields, (index) => String(index + 1));
    return type.name === 'Tuple' ? tuple : arrayWriter(tuple);
  }
  if (kindOf(type.name) === 'json') return writeAnything;
  const cell = scalarCell(type, timeZone);
  return (value, out) => {
    if (value === null || value === undefined) out.ascii('null');
    else cell.json(value instanceof Digits ? value.text : String(value), out);
  };
}

/** Other types: JSON as it is, except numbers that a client would round. */
const writeAnything: WriteValue = (value, out) => {
  if (value instanceof Digits)
    (value.text.includes('.') || /e/i.test(value.text) ? plainCells.float : plainCells.integer).json(value.text, out);
  else if (Array.isArray(value)) anyArray(value, out);
  else if (typeof value === 'object' && value !== null) anyObject(value, out);
  else out.utf8(JSON.stringify(value ?? null));
};
const anyArray = arrayWriter(writeAnything);
const anyObject = objectWriter(writeAnything);

export function columnsOf(columns: readonly NamedType[]): readonly Column[] {
  return columns.map(({ name, type }) => ({ name, type, kind: kindOf(parseType(type).name) }));
}

const kindOf = (name: string): ColumnKind => kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';

const kinds: readonly (readonly [RegExp, ColumnKind])[] = [
  [/^U?Int\d+$/, 'integer'],
  [/^Decimal\d*$/, 'decimal'],
  [/^B?Float\d+$/, 'float'],
  [/^Bool$/, 'boolean'],
  [/^((Fixed)?String|Enum(8|16))$/, 'text'],
  [/^UUID$/, 'uuid'],
  [/^Date(32)?$/, 'date'],
  [/^Time(64)?$/, 'time'],
  [/^DateTime(64)?$/, 'timestamptz'],
  [/^Interval/, 'interval'],
  [/^(Array|Tuple|Map|Nested|JSON|Object|Variant|Dynamic)$/, 'json'],
  [/^(Point|Ring|(Multi)?(Polygon|LineString))$/, 'json'],
];

/** A parsed type name: `Array(Nullable(Int8))`. Nullable and LowCardinality are removed: they do not affect cells. */
export interface TypeName {
  readonly name: string;
  readonly members: readonly TypeName[]; // of Array, Map, Tuple and Nested
  readonly fields: readonly (string | undefined)[]; // the names of Tuple and Nested
  readonly zone?: string; // of DateTime and DateTime64
}

const transparent = new Set(['Nullable', 'LowCardinality']);
const nested = new Set(['Array', 'Map', 'Tuple', 'Nested']);

function parseType(text: string): TypeName {
  const [, name = text, inside] = /^([^(]+)\(([\s\S]*)\)$/.exec(text.trim()) ?? [];
  const parts = inside === undefined ? [] : splitArguments(inside);
  if (transparent.has(name)) return parseType(parts[0] ?? '');
  if (name === 'SimpleAggregateFunction') return parseType(parts[1] ?? '');
  const zone = parts.map((argument) => /^'(.+)'$/.exec(argument)?.[1]).find((found) => found !== undefined);
  if (!nested.has(name)) {
    return { name, members: [], fields: [], ...(name.startsWith('DateTime') && zone !== undefined ? { zone } : {}) };
  }
  const named = parts.map((argument) => (name === 'Array' || name === 'Map' ? undefined : fieldName.exec(argument)));
  return {
    name,
    members: parts.map((argument, index) => parseType(named[index]?.[2] ?? argument)),
    fields: named.map((found) => found?.[1]?.replace(/^[`"]|[`"]$/g, '')),
  };
}

const fieldName = /^(`(?:[^`\\]|\\.)+`|"(?:[^"\\]|\\.)+"|[^\s(]+) ([\s\S]+)$/;

/** Splits at commas outside of parentheses and quotes. */
function splitArguments(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "'" || char === '`' || char === '"') {
      for (at++; at < text.length && text.charAt(at) !== char; at++) if (text.charAt(at) === '\\') at++;
    } else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === ',' && depth === 0) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  found.push(text.slice(start).trim());
  return found;
}
