import duckdb from '@duckdb/node-bindings';
import type { BoundValue, SqlType } from '../../../core/sql-value.ts';
import { decimalOfValue } from '../../cells/decimal-type.ts';
import { type MarkedSql, markSql } from '../../statements/marked-sql.ts';
import { dialect } from '../dialect.ts';

/** An author's SQL with DuckDB's placeholders, and the values to bind, in order. */
export interface RenderedSql extends MarkedSql {
  readonly values: readonly BoundValue[];
}

/**
 * `@Region` becomes `CAST($1 AS VARCHAR)`: the cast gives the statement its types before a value is bound, so that columns can be
 * described and a NULL leaves them as they are. A name that is used twice is bound once.
 */
export function renderParameters(source: string, parameters: readonly BoundValue[]): RenderedSql {
  const marked = markSql(
    source,
    dialect,
    parameters,
    (parameter, index) => `CAST($${index + 1} AS ${typeOf(parameter).spelling})`,
  );
  return { ...marked, values: marked.used };
}

export function bindValues(statement: duckdb.PreparedStatement, values: readonly BoundValue[]): void {
  values.forEach((parameter, index) => {
    const type = typeOf(parameter);
    const value = parameter.value === null ? nullOf(type.logicalType()) : type.create(parameter.value);
    duckdb.bind_value(statement, index + 1, value);
  });
}

interface EngineType {
  readonly spelling: string;
  logicalType(): duckdb.LogicalType;
  create(text: string): duckdb.Value;
}

function typeOf({ type, value }: BoundValue): EngineType {
  switch (type.name) {
    case 'integer':
      return integerTypes[`${type.unsigned ? 'U' : ''}${type.bits}`];
    case 'decimal':
      return decimalType(type, value);
    case 'float':
      return type.bits === 32 ? float32 : float64;
    default:
      return plainTypes[type.name];
  }
}

const { Type } = duckdb;

function createSimpleType(spelling: string, id: duckdb.Type, create: (text: string) => duckdb.Value): EngineType {
  return { spelling, logicalType: () => duckdb.create_logical_type(id), create };
}

const integerTypes = {
  // a declared tinyint is -128 to 255, which DuckDB's own does not hold
  '8': createSimpleType('SMALLINT', Type.SMALLINT, (text) => duckdb.create_int16(Number(text))),
  '16': createSimpleType('SMALLINT', Type.SMALLINT, (text) => duckdb.create_int16(Number(text))),
  '32': createSimpleType('INTEGER', Type.INTEGER, (text) => duckdb.create_int32(Number(text))),
  '64': createSimpleType('BIGINT', Type.BIGINT, (text) => duckdb.create_int64(BigInt(text))),
  U8: createSimpleType('UTINYINT', Type.UTINYINT, (text) => duckdb.create_uint8(Number(text))),
  U16: createSimpleType('USMALLINT', Type.USMALLINT, (text) => duckdb.create_uint16(Number(text))),
  U32: createSimpleType('UINTEGER', Type.UINTEGER, (text) => duckdb.create_uint32(Number(text))),
  U64: createSimpleType('UBIGINT', Type.UBIGINT, (text) => duckdb.create_uint64(BigInt(text))),
};

const float32 = createSimpleType('FLOAT', Type.FLOAT, (text) => duckdb.create_float(Number(text)));
const float64 = createSimpleType('DOUBLE', Type.DOUBLE, (text) => duckdb.create_double(Number(text)));
const varchar = createSimpleType('VARCHAR', Type.VARCHAR, (text) => duckdb.create_varchar(text));

const plainTypes = {
  text: varchar,
  json: { ...varchar, spelling: 'JSON' },
  bit: createSimpleType('BOOLEAN', Type.BOOLEAN, (text) => duckdb.create_bool(text === 'true')),
  date: createSimpleType('DATE', Type.DATE, (text) =>
    duckdb.create_date({ days: Number(microsSince1970(`${text}T00:00:00`) / microsADay) }),
  ),
  datetime: createSimpleType('TIMESTAMP', Type.TIMESTAMP, (text) => duckdb.create_timestamp({ micros: microsSince1970(text) })),
  datetimeoffset: createSimpleType('TIMESTAMP WITH TIME ZONE', Type.TIMESTAMP_TZ, (text) =>
    duckdb.create_timestamp_tz({ micros: microsSince1970(text) }),
  ),
  time: createSimpleType('TIME', Type.TIME, (text) => duckdb.create_time({ micros: microsSince1970(`1970-01-01T${text}`) })),
  uuid: createSimpleType('UUID', Type.UUID, (text) => duckdb.create_uuid(BigInt(`0x${text.replaceAll('-', '')}`))),
  binary: createSimpleType('BLOB', Type.BLOB, (text) => duckdb.create_blob(Buffer.from(text, 'base64'))),
};

const maxPrecision = 38;

function decimalType(declared: SqlType & { name: 'decimal' }, value: string | null): EngineType {
  const { precision: width, scale } = decimalOfValue(declared, value, maxPrecision);
  return {
    spelling: `DECIMAL(${width},${scale})`,
    logicalType: () => duckdb.create_decimal_type(width, scale),
    create: (text) => duckdb.create_decimal({ width, scale, value: toUnscaled(text, scale) }),
  };
}

function toUnscaled(text: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
}

const microsADay = 86_400_000_000n;

/** From a timestamp in ISO 8601; digits beyond microseconds are removed. */
function microsSince1970(text: string): bigint {
  const [, seconds = '', fraction = ''] = /^([^.Z]+)(?:\.(\d+))?Z?$/.exec(text) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

/** A typed NULL. The binding creates only untyped ones, but a struct member has the type of the struct. */
function nullOf(type: duckdb.LogicalType): duckdb.Value {
  const struct = duckdb.create_struct_value(duckdb.create_struct_type([type], ['member']), [duckdb.create_null_value()]);
  return duckdb.get_struct_child(struct, 0);
}
