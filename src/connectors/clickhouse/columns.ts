import type { Column, ColumnKind } from '../../core/column.ts';
import type { NamedType } from './result-reader.ts';

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

/** A parsed type name: `Array(Nullable(Int8))`. Nullable and LowCardinality are removed: they do not affect cells. */
export interface TypeName {
  readonly name: string;
  readonly members: readonly TypeName[]; // of Array, Map, Tuple and Nested
  readonly fields: readonly (string | undefined)[]; // the names of Tuple and Nested
  readonly zone?: string; // of DateTime and DateTime64
}

const transparent = new Set(['Nullable', 'LowCardinality']);
const nested = new Set(['Array', 'Map', 'Tuple', 'Nested']);

export function parseType(text: string): TypeName {
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
