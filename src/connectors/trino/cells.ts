import { ByteWriter } from '../../results/byte-writer.ts';
import { writeJsonString } from '../../results/json-text.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import type { SqlValue } from '../../sql-value.ts';
import {
  binaryCell,
  booleanCell,
  dateCell,
  decimalCell,
  floatCell,
  integerCell,
  jsonCell,
  rewrittenCell,
  type TextCell,
  textCell,
  timeCell,
  timestampCell,
} from '../text-cells.ts';
import { zonedInstant } from '../zoned-time.ts';
import { kindOf } from './columns.ts';
import type { TrinoColumn, TrinoRow, TypeSignature } from './query-page.ts';

/** Converts a column's values from Trino's JSON. Not called for NULL. */
interface Cell {
  json(value: unknown, out: ByteWriter): void;
  text(value: unknown, out: ByteWriter): void;
  value(value: unknown): SqlValue;
}

export function cellsOf(columns: readonly TrinoColumn[]): readonly Cell[] {
  return columns.map(({ typeSignature }) => cellOf(typeSignature));
}

/** The rows of one page. */
export class PageBatch implements RowBatch {
  readonly length: number;
  readonly #rows: readonly TrinoRow[];
  readonly #cells: readonly Cell[];

  constructor(rows: readonly TrinoRow[], cells: readonly Cell[]) {
    this.length = rows.length;
    this.#rows = rows;
    this.#cells = cells;
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const value = this.#rows[row]?.[column] ?? null;
    if (value === null) out.ascii('null');
    else this.#cell(column).json(value, out);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const value = this.#rows[row]?.[column] ?? null;
    if (value !== null) this.#cell(column).text(value, out);
  }

  value(row: number, column: number): SqlValue {
    const value = this.#rows[row]?.[column] ?? null;
    return value === null ? null : this.#cell(column).value(value);
  }

  #cell(column: number): Cell {
    const cell = this.#cells[column];
    if (cell === undefined) throw new RangeError(`There is no column ${column}.`);
    return cell;
  }
}

function cellOf(type: TypeSignature): Cell {
  const write = nestedWriter(type);
  return write === undefined ? scalar(scalarCell(type.rawType)) : nested(write);
}

/** Trino writes numbers and booleans as such and other values as strings: the cells convert their text. */
function scalar(cell: TextCell): Cell {
  return {
    json: (value, out) => cell.json(String(value), out),
    text: (value, out) => cell.text(String(value), out),
    value: (value) => cell.value(String(value)),
  };
}

const zonedCell = rewrittenCell(zonedInstant);
const base64Cell = binaryCell((text) => Buffer.from(text, 'base64'));
const trueCell = booleanCell('true');

function scalarCell(rawType: string): TextCell {
  switch (kindOf(rawType)) {
    case 'integer':
      return integerCell;
    case 'decimal':
      return decimalCell;
    case 'float':
      return floatCell;
    case 'boolean':
      return trueCell;
    case 'date':
      return dateCell;
    case 'time':
      return timeCell;
    case 'timestamp':
      return timestampCell;
    case 'timestamptz':
      return zonedCell;
    case 'binary':
      return base64Cell;
    case 'json':
      return jsonCell;
    default:
      return textCell;
  }
}

type Write = (value: unknown, out: ByteWriter) => void;

function nestedWriter({ rawType, arguments: given = [] }: TypeSignature): Write | undefined {
  if (rawType === 'array') return arrayWriter(memberWriter(given[0]?.value));
  if (rawType === 'map') return mapWriter(memberWriter(given[1]?.value));
  if (rawType === 'row') return rowWriter(given.map(({ value }) => fieldOf(value)));
  return undefined;
}

function nested(write: Write): Cell {
  const textOf = (value: unknown): string => {
    const out = new ByteWriter(256);
    write(value, out);
    return out.view().toString('utf8');
  };
  return { json: write, text: write, value: textOf };
}

function arrayWriter(writeItem: Write): Write {
  return (value, out) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    out.ascii('[');
    items.forEach((item, index) => {
      if (index > 0) out.ascii(',');
      writeItem(item, out);
    });
    out.ascii(']');
  };
}

function mapWriter(writeValue: Write): Write {
  return (value, out) => {
    out.ascii('{');
    Object.entries(value ?? {}).forEach(([key, member], index) => {
      if (index > 0) out.ascii(',');
      writeJsonString(out, key);
      out.ascii(':');
      writeValue(member, out);
    });
    out.ascii('}');
  };
}

interface Field {
  readonly name: string | undefined;
  readonly write: Write;
}

/** A row without field names is a list, as in row(1, 2). */
function rowWriter(fields: readonly Field[]): Write {
  if (fields.every(({ name }) => name === undefined)) {
    return (value, out) => {
      out.ascii('[');
      fields.forEach(({ write }, index) => {
        if (index > 0) out.ascii(',');
        write(Array.isArray(value) ? value[index] : null, out);
      });
      out.ascii(']');
    };
  }
  return (value, out) => {
    out.ascii('{');
    fields.forEach(({ name, write }, index) => {
      if (index > 0) out.ascii(',');
      writeJsonString(out, name ?? `field${index}`);
      out.ascii(':');
      write(Array.isArray(value) ? value[index] : null, out);
    });
    out.ascii('}');
  };
}

function memberWriter(signature: unknown): Write {
  const cell = cellOf(isSignature(signature) ? signature : { rawType: 'varchar' });
  return (value, out) => {
    if (value === null || value === undefined) out.ascii('null');
    else cell.json(value, out);
  };
}

/** `{fieldName: {name}, typeSignature}` */
function fieldOf(argument: unknown): Field {
  if (typeof argument !== 'object' || argument === null) return { name: undefined, write: memberWriter(undefined) };
  const fieldName: unknown = 'fieldName' in argument ? argument.fieldName : undefined;
  const named = typeof fieldName === 'object' && fieldName !== null && 'name' in fieldName ? fieldName.name : undefined;
  return {
    name: typeof named === 'string' ? named : undefined,
    write: memberWriter('typeSignature' in argument ? argument.typeSignature : argument),
  };
}

function isSignature(value: unknown): value is TypeSignature {
  return typeof value === 'object' && value !== null && 'rawType' in value && typeof value.rawType === 'string';
}
