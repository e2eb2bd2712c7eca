import type { Column, ColumnKind } from '../../results/column.ts';
import type { NamedType } from './result-reader.ts';
import { parseType } from './type-name.ts';

export function columnsOf(columns: readonly NamedType[]): readonly Column[] {
  return columns.map(({ name, type }) => ({ name, type, kind: kindOf(parseType(type).name) }));
}

export const kindOf = (name: string): ColumnKind => kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';

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
