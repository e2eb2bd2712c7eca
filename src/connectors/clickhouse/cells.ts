import { arrayWriter, fieldsWriter, createNestedCell, objectWriter, type WriteValue } from '../cells/nested-json.ts';
import { booleanCell, plainCells, rewriteCell, type TextCell, textCell } from '../cells/text-cells.ts';
import { instantText } from '../cells/text-times.ts';
import { toInstant } from '../cells/zoned-time.ts';
import { kindOf, parseType, type TypeName } from './columns.ts';
import type { NamedType } from './result-reader.ts';

/** Converts the JSON of each column's cells. `timeZone` is the server's, for types without a time zone. */
export function cellsOf(columns: readonly NamedType[], timeZone: string): readonly TextCell[] {
  return columns.map(({ type }) => {
    const parsed = parseType(type);
    if (kindOf(parsed.name) !== 'json') return unquoteCell(scalarCell(parsed, timeZone));
    const write = writerOf(parsed, timeZone);
    return createNestedCell((raw, out) => write(JSON.parse(raw, withDigits), out));
  });
}

/** Converts the text of a JSON string or number. Strings without an escape are not parsed, and texts among them not even copied. */
function unquoteCell(cell: TextCell): TextCell {
  const isPlain = (raw: string): boolean => raw.charCodeAt(0) === quote && !raw.includes('\\');
  const unquote = (raw: string): string => {
    if (raw.charCodeAt(0) !== quote) return raw;
    return raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1);
  };
  return {
    json:
      cell === textCell
        ? (raw, out) => (isPlain(raw) ? out.utf8(raw) : cell.json(unquote(raw), out))
        : (raw, out) => cell.json(unquote(raw), out),
    text: (raw, out) => cell.text(unquote(raw), out),
    value: (raw) => cell.value(unquote(raw)),
  };
}

const quote = 34;

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
