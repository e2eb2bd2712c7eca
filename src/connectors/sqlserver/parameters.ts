import { LRUCache } from 'lru-cache';
import { TYPES } from 'tedious';
import type { DataType } from 'tedious/lib/data-type.js';
import type { ParameterOptions } from 'tedious/lib/request.js';
import type { BoundValue, SqlType } from '../../core/sql-value.ts';
import { decimalOfValue } from '../cells/decimal-type.ts';
import { markSql } from '../statements/marked-sql.ts';
import { refusal } from '../statements/refusals.ts';
import { dialect } from './dialect.ts';

/** An author's SQL with SQL Server's parameters, and the values to bind. */
export interface RenderedSql {
  readonly source: string;
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** `@p1 int, @p2 nvarchar(4000)` */
  readonly declaration: string;
}

export interface Parameter {
  readonly name: string; // without the `@`
  readonly type: DataType;
  readonly value: string | number | bigint | boolean | Buffer | null;
  readonly options: ParameterOptions;
}

/**
 * `@Region` becomes `@p1`. Values that the driver would convert to a floating point number or a Date are sent as text and cast by
 * the server: `CAST(@p1 AS decimal(12,2))`. No replacement has a line break, so line numbers do not change.
 */
export function renderParameters(source: string, values: readonly BoundValue[]): RenderedSql {
  const bindings = values.map(bindingOf);
  const marks = values.map(({ name }, index) => ({ name, index, castTo: bindings[index]?.castTo }));
  const key = `${marks.map(({ name, castTo }) => `${name} ${castTo ?? ''}`).join()}\n${source}`;
  const text = texts.get(key) ?? renderText(source, marks);
  texts.set(key, text);
  const { sql, prefix, used } = text;
  const parameters = used.flatMap((from, index) => {
    const binding = bindings[from];
    return binding === undefined ? [] : { ...binding, name: `${prefix}${index + 1}` };
  });
  const declaration = parameters.map(({ name, declared }) => `@${name} ${declared}`).join(', ');
  return { source, sql, parameters, declaration };
}

interface RenderedText {
  readonly sql: string;
  readonly prefix: string;
  readonly used: readonly number[]; // indexes of the parameters
}

/** Rendered once for all runs: to find the placeholders outside of strings and comments takes longer than the rest. */
const texts = new LRUCache<string, RenderedText>({ max: 500 });

interface Mark {
  readonly name: string;
  readonly index: number;
  readonly castTo: string | undefined;
}

function renderText(source: string, marks: readonly Mark[]): RenderedText {
  if (source.includes('\0')) throw refusal('The SQL contains a zero byte.');
  const prefix = /@p\d/i.test(source) ? 'sluice_' : 'p';
  const { sql, used } = markSql(source, dialect, marks, ({ castTo }, index) => {
    const parameter = `@${prefix}${index + 1}`;
    return castTo === undefined ? parameter : `CAST(${parameter} AS ${castTo})`;
  });
  return { sql, prefix, used: used.map(({ index }) => index) };
}

interface Binding extends Omit<Parameter, 'name'> {
  readonly declared: string;
  readonly castTo?: string;
}

function bindingOf({ type, value }: BoundValue): Binding {
  const castTo = castOf(type, value);
  if (castTo !== undefined) return { ...unicode(castText(type, value), 100), castTo };
  switch (type.name) {
    case 'integer':
      return integer(type, value);
    case 'float': {
      const [driverType, declared] = type.bits === 32 ? ([TYPES.Real, 'real'] as const) : ([TYPES.Float, 'float'] as const);
      return createPlainBinding(driverType, declared, value === null ? null : Number(value));
    }
    case 'bit':
      return createPlainBinding(TYPES.Bit, 'bit', value === null ? null : value === 'true');
    case 'uuid':
      return createPlainBinding(TYPES.UniqueIdentifier, 'uniqueidentifier', value);
    case 'binary': {
      const bytes = value === null ? null : Buffer.from(value, 'base64');
      const short = (bytes?.length ?? 0) <= mostBytes;
      const options = { length: short ? mostBytes : unlimited };
      return { type: TYPES.VarBinary, declared: `varbinary(${short ? mostBytes : 'max'})`, value: bytes, options };
    }
    case 'text':
      return unicode(value, Math.max(type.length ?? mostLetters, value?.length ?? 0));
    default:
      return unicode(value, unlimited);
  }
}

const mostLetters = 4000;
const mostBytes = 8000;
const unlimited = 0xffff;

const createPlainBinding = (type: DataType, declared: string, value: Parameter['value']): Binding => ({
  type,
  declared,
  value,
  options: {},
});

function unicode(value: string | null, length: number): Binding {
  const short = length <= mostLetters;
  const options = { length: short ? Math.max(length, 1) : unlimited };
  return { type: TYPES.NVarChar, declared: `nvarchar(${short ? options.length : 'max'})`, value, options };
}

function integer(type: SqlType & { name: 'integer' }, value: string | null): Binding {
  const number = value === null ? null : Number(value);
  // only tinyint is unsigned: other unsigned values need the next larger type
  if (type.bits === 8 && type.unsigned) return createPlainBinding(TYPES.TinyInt, 'tinyint', number);
  const bits = type.unsigned ? type.bits * 2 : type.bits;
  if (bits <= 16) return createPlainBinding(TYPES.SmallInt, 'smallint', number);
  if (bits === 32) return createPlainBinding(TYPES.Int, 'int', number);
  return createPlainBinding(TYPES.BigInt, 'bigint', value === null ? null : BigInt(value));
}

/** The type to which the server casts the text of a parameter. */
function castOf(type: SqlType, value: string | null): string | undefined {
  if (type.name === 'integer') return type.bits === 64 && type.unsigned ? 'decimal(20,0)' : undefined;
  if (type.name !== 'decimal') return timeTypes.get(type.name);
  const { precision, scale } = decimalOfValue(type, value, maxPrecision);
  return `decimal(${precision},${scale})`;
}

const timeTypes: ReadonlyMap<SqlType['name'], string> = new Map([
  ['date', 'date'],
  ['time', 'time(7)'],
  ['datetime', 'datetime2(7)'],
  ['datetimeoffset', 'datetimeoffset(7)'],
]);

const maxPrecision = 38;

const fractionOfTime = /(\.\d{7})\d+/;

/** The server accepts at most seven fractional digits. */
const castText = (type: SqlType, value: string | null): string | null =>
  type.name === 'decimal' || type.name === 'integer' ? value : (value?.replace(fractionOfTime, '$1') ?? null);
