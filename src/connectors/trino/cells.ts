import type { Column, ColumnKind } from '../../core/column.ts';
import {
  arrayWriter,
  createNestedCell,
  fieldsWriter,
  type FieldWriter,
  objectWriter,
  type WriteValue,
} from '../cells/nested-json.ts';
import {
  binaryCell,
  booleanCell,
  type Cell,
  convertedCell,
  plainCells,
  rewriteCell,
  type TextCell,
} from '../cells/text-cells.ts';
import { toInstant } from '../cells/text-times.ts';
import type { TrinoColumn, TypeSignature } from './query-client.ts';

export function columnsOf(columns: readonly TrinoColumn[]): readonly Column[] {
  return columns.map(({ name, type, typeSignature }) => ({ name, type, kind: kindOf(typeSignature.rawType) }));
}

const kindOf = (rawType: string): ColumnKind => kinds.find(([, types]) => types.includes(rawType))?.[0] ?? 'other';

const kinds: readonly (readonly [ColumnKind, readonly string[]])[] = [
  ['integer', ['tinyint', 'smallint', 'integer', 'bigint']],
  ['decimal', ['decimal', 'number']],
  ['float', ['real', 'double']],
  ['boolean', ['boolean']],
  ['text', ['varchar', 'char']],
  ['json', ['json', 'array', 'map', 'row']],
  ['binary', ['varbinary']],
  ['date', ['date']],
  ['time', ['time', 'time with time zone']],
  ['timestamp', ['timestamp']],
  ['timestamptz', ['timestamp with time zone']],
  ['interval', ['interval day to second', 'interval year to month']],
  ['uuid', ['uuid']],
];

/** By column, from Trino's JSON. */
export function cellsOf(columns: readonly TrinoColumn[]): readonly Cell<unknown>[] {
  return columns.map(({ typeSignature }) => cellOf(typeSignature));
}

function cellOf({ rawType, arguments: members = [] }: TypeSignature): Cell<unknown> {
  if (rawType === 'array') return createNestedCell(arrayWriter(memberWriter(members[0]?.value)));
  if (rawType === 'map') return createNestedCell(objectWriter(memberWriter(members[1]?.value)));
  if (rawType === 'row') {
    return createNestedCell(
      fieldsWriter(
        members.map(({ value }) => fieldOf(value)),
        (index) => `field${index}`,
      ),
    );
  }
  // Trino writes numbers and booleans as such and other values as strings
  return convertedCell(scalarCell(rawType), String);
}

const zonedCell = rewriteCell(toInstant);
const base64Cell = binaryCell((text) => Buffer.from(text, 'base64'));
const trueCell = booleanCell('true');

function scalarCell(rawType: string): TextCell {
  const kind = kindOf(rawType);
  if (kind === 'boolean') return trueCell;
  if (kind === 'timestamptz') return zonedCell;
  return kind === 'binary' ? base64Cell : plainCells[kind];
}

function memberWriter(signature: unknown): WriteValue {
  const cell = cellOf(isSignature(signature) ? signature : { rawType: 'varchar' });
  return (value, out) => {
    if (value === null || value === undefined) out.ascii('null');
    else cell.json(value, out);
  };
}

/** `{fieldName: {name}, typeSignature}` */
function fieldOf(argument: unknown): FieldWriter {
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
