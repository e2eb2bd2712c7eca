import type { Column, ColumnKind } from '../../results/column.ts';
import type { NamedType } from './result-reader.ts';
import { parseType } from './type-name.ts';

export function columnsOf(columns: readonly NamedType[]): readonly Column[] {
  return columns.map(({ name, type }) => ({ name, type, kind: kindOf(parseType(type).name) }));
}

export function kindOf(name: string): ColumnKind {
  if (/^U?Int\d+$/.test(name)) return 'integer';
  if (/^Decimal\d*$/.test(name)) return 'decimal';
  if (/^B?Float\d+$/.test(name)) return 'float';
  if (name.startsWith('Interval')) return 'interval';
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? 'other') : 'other';
}

const kinds: Readonly<Record<string, ColumnKind>> = {
  Bool: 'boolean',
  String: 'text',
  FixedString: 'text',
  Enum8: 'text',
  Enum16: 'text',
  UUID: 'uuid',
  Date: 'date',
  Date32: 'date',
  Time: 'time',
  Time64: 'time',
  DateTime: 'timestamptz',
  DateTime64: 'timestamptz',
  Array: 'json',
  Tuple: 'json',
  Map: 'json',
  Nested: 'json',
  JSON: 'json',
  Object: 'json',
  Variant: 'json',
  Dynamic: 'json',
  Point: 'json',
  Ring: 'json',
  Polygon: 'json',
  MultiPolygon: 'json',
  LineString: 'json',
  MultiLineString: 'json',
};
