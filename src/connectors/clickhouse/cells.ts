import { ByteWriter } from '../../results/byte-writer.ts';
import { writeJsonString } from '../../results/json-text.ts';
import { booleanCell, plainCells, rewrittenCell, type TextCell, textCell } from '../text-cells.ts';
import { instantText } from '../text-times.ts';
import { zonedInstant } from '../zoned-time.ts';
import { kindOf } from './columns.ts';
import type { NamedType } from './result-reader.ts';
import { parseType, type TypeName } from './type-name.ts';

/** Converts the JSON of each column's cells. `timeZone` is the server's, for types without a time zone. */
export function cellsOf(columns: readonly NamedType[], timeZone: string): readonly TextCell[] {
  return columns.map(({ type }) => {
    const parsed = parseType(type);
    return kindOf(parsed.name) === 'json' ? nestedCell(parsed, timeZone) : unquoted(scalarCell(parsed, timeZone));
  });
}

/** Converts the text of a JSON string or number. */
function unquoted(cell: TextCell): TextCell {
  const of = (raw: string): string => (raw.charCodeAt(0) === quote ? JSON.parse(raw) : raw);
  return {
    json: (raw, out) => cell.json(of(raw), out),
    text: (raw, out) => cell.text(of(raw), out),
    value: (raw) => cell.value(of(raw)),
  };
}

const quote = 34;

function scalarCell({ name, zone }: TypeName, timeZone: string): TextCell {
  const kind = kindOf(name);
  if (kind === 'boolean') return booleanCell('true');
  if (kind === 'timestamptz') return rewrittenCell((text) => instantOf(text, zone ?? timeZone));
  return kind === 'binary' || kind === 'json' ? textCell : plainCells[kind];
}

/** Servers write ISO 8601 with Z; older ones write local time. */
const instantOf = (text: string, zone: string): string =>
  text.endsWith('Z') ? instantText(text) : zonedInstant(`${text} ${zone}`);

/** A number as it was written. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const withDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? new Digits(context?.source ?? String(value)) : value;

type Write = (value: unknown, out: ByteWriter) => void;

function nestedCell(type: TypeName, timeZone: string): TextCell {
  const write = writerOf(type, timeZone);
  const json = (raw: string, out: ByteWriter): void => write(JSON.parse(raw, withDigits), out);
  return {
    json,
    text: json,
    value(raw) {
      const out = new ByteWriter(256);
      json(raw, out);
      return out.view().toString('utf8');
    },
  };
}

function writerOf(type: TypeName, timeZone: string): Write {
  const of = (member: TypeName | undefined): Write => (member === undefined ? anything : writerOf(member, timeZone));
  if (type.name === 'Array') return listWriter(() => of(type.members[0]));
  if (type.name === 'Map') return objectWriter(() => of(type.members[1]));
  if (type.name === 'Tuple') return tupleWriter(type, type.members.map(of));
  if (type.name === 'Nested') return listWriter(() => tupleWriter(type, type.members.map(of)));
  if (kindOf(type.name) === 'json') return anything;
  const cell = scalarCell(type, timeZone);
  return (value, out) => {
    if (value === null || value === undefined) out.ascii('null');
    else cell.json(value instanceof Digits ? value.text : String(value), out);
  };
}

/** Other types: JSON as it is, except numbers that a client would round. */
const anything: Write = (value, out) => {
  if (value instanceof Digits)
    (value.text.includes('.') || /e/i.test(value.text) ? plainCells.float : plainCells.integer).json(value.text, out);
  else if (Array.isArray(value)) listWriter(() => anything)(value, out);
  else if (typeof value === 'object' && value !== null) objectWriter(() => anything)(value, out);
  else out.utf8(JSON.stringify(value ?? null));
};

function listWriter(writerFor: () => Write): Write {
  const write = writerFor === undefined ? anything : lazily(writerFor);
  return (value, out) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    out.ascii('[');
    items.forEach((item, index) => {
      if (index > 0) out.ascii(',');
      write(item, out);
    });
    out.ascii(']');
  };
}

function objectWriter(writerFor: () => Write): Write {
  const write = lazily(writerFor);
  return (value, out) => {
    out.ascii('{');
    Object.entries(value ?? {}).forEach(([key, member], index) => {
      if (index > 0) out.ascii(',');
      writeJsonString(out, key);
      out.ascii(':');
      write(member, out);
    });
    out.ascii('}');
  };
}

/** Servers write named tuples as objects or lists; we always write objects. */
function tupleWriter({ fields }: TypeName, writers: readonly Write[]): Write {
  const named = fields.some((name) => name !== undefined);
  return (value, out) => {
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value ?? {});
    out.ascii(named ? '{' : '[');
    writers.forEach((write, index) => {
      if (index > 0) out.ascii(',');
      if (named) {
        writeJsonString(out, fields[index] ?? String(index + 1));
        out.ascii(':');
      }
      write(members[index], out);
    });
    out.ascii(named ? '}' : ']');
  };
}

function lazily(writerFor: () => Write): Write {
  let write: Write | undefined;
  return (value, out) => {
    write ??= writerFor();
    write(value, out);
  };
}
