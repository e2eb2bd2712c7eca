import type { SqlType, TypeFamily } from '../core/sql-value.ts';

/**
 * Parses a type as spelled by SQL Server, PostgreSQL, MySQL or DuckDB; null if none of them has it, or its arguments are not
 * valid. If they disagree about a name, the wider meaning is used, and the database refuses what it does not accept: `tinyint` is
 * -128 to 255 (see cast-number.ts), `float` has 64 bits, `decimal` without arguments is unbounded, `timestamp` is a datetime.
 */
export function parseSqlType(spelling: string): SqlType | null {
  if (spelling.length > longestSpelling) return null;
  const known = parsed.get(spelling);
  if (known !== undefined) return known;
  const type = parse(spelling);
  if (parsed.size >= maxSpellings) parsed.clear(); // callers send spellings, so the cache is bounded
  parsed.set(spelling, type);
  return type;
}

const maxSpellings = 500;
const parsed = new Map<string, SqlType | null>();

function parse(spelling: string): SqlType | null {
  const normal = spelling.trim().toLowerCase().replace(/\s+/g, ' ');
  const match = /^([a-z][a-z0-9_ ]*?) ?(?:\( ?(max|\d{1,10})(?: ?, ?(\d{1,10}))? ?\))?(?: ?(?<=[ )])([a-z ]+))?$/.exec(normal);
  if (match === null) return null;
  const [, base = '', first, second, rest] = match;
  const words = rest === undefined ? base : `${base} ${rest}`;
  const signless = words.replace(/ zerofill$/, '').replace(/ (?:un)?signed$/, '');
  const unsigned = / unsigned\b/.test(words);
  const make = Object.hasOwn(types, words) ? types[words] : makeSigned(signless, words !== signless, unsigned);
  return make?.(first, second) ?? null;
}

export function familyOf(type: SqlType): TypeFamily {
  switch (type.name) {
    case 'integer':
    case 'decimal':
    case 'float':
      return 'number';
    case 'datetime':
    case 'datetimeoffset':
      return 'date';
    default:
      return type.name;
  }
}

/** Called with the arguments in parentheses, if any. */
type Make = (first?: string, second?: string) => SqlType | null;

const longestSpelling = 100; // callers send it, and matching is not linear in its length
const longest = 2_147_483_647;

const makeSized =
  (name: 'text' | 'binary'): Make =>
  (first, second) => {
    if (second !== undefined) return null;
    if (first === undefined || first === 'max') return { name };
    const length = Number(first);
    return length >= 1 && length <= longest ? { name, length } : null;
  };

const makeFixed =
  (type: SqlType, digits = 0): Make =>
  (first, second) =>
    first === undefined || (digits > 0 && second === undefined && Number(first) <= digits) ? type : null;

// the argument of an integer is MySQL's display width and does not affect its range: tinyint(1) is a number
const integer = (bits: 8 | 16 | 32 | 64, unsigned = false): Make => makeFixed({ name: 'integer', bits, unsigned }, 255);

const decimal: Make = (first, second) => {
  if (first === undefined) return { name: 'decimal' };
  const precision = Number(first);
  const scale = Number(second ?? 0);
  return precision >= 1 && precision <= 1000 && scale <= precision ? { name: 'decimal', precision, scale } : null;
};

const float: Make = (first, second) => {
  if (first === undefined || second !== undefined) return first === 'max' ? null : { name: 'float', bits: 64 };
  const binaryDigits = Number(first);
  if (!(binaryDigits >= 1 && binaryDigits <= 53)) return null;
  return { name: 'float', bits: binaryDigits <= 24 ? 32 : 64 };
};

const makeDouble: Make = (first, second) =>
  first === undefined || (first !== 'max' && second !== undefined) ? { name: 'float', bits: 64 } : null;

// bit(8) is a bit string, which is not supported
const bit: Make = (first, second) => (first === undefined || (first === '1' && second === undefined) ? { name: 'bit' } : null);

const moment = (name: 'date' | 'datetime' | 'datetimeoffset' | 'time'): Make => makeFixed({ name }, name === 'date' ? 0 : 9);

const spellings: readonly (readonly [string, Make])[] = [
  [
    'nvarchar|varchar|char|nchar|text|ntext|tinytext|mediumtext|longtext|string|bpchar|name|sysname|citext|xml|clob|character|' +
      'character varying|char varying|national char|national character|national varchar|national char varying|' +
      'national character varying|nchar varying|long varchar',
    makeSized('text'),
  ],
  ['tinyint|int1', integer(8)],
  ['smallint|int2|int16|short|smallserial|serial2', integer(16)],
  ['int|integer|int4|int32|mediumint|middleint|int3|signed|signed int|signed integer|serial|serial4', integer(32)],
  ['bigint|int8|int64|long|bigserial|serial8', integer(64)],
  ['utinyint|uint8', integer(8, true)],
  ['usmallint|uint16|year', integer(16, true)],
  ['uinteger|uint32|oid', integer(32, true)],
  ['ubigint|uint64|unsigned|unsigned int|unsigned integer', integer(64, true)],
  ['hugeint|int128|uhugeint|uint128', makeFixed({ name: 'decimal', precision: 38, scale: 0 })],
  ['decimal|numeric|dec|fixed', decimal],
  ['money', makeFixed({ name: 'decimal', precision: 19, scale: 4 })],
  ['smallmoney', makeFixed({ name: 'decimal', precision: 10, scale: 4 })],
  ['float', float],
  ['real|float4', makeFixed({ name: 'float', bits: 32 })],
  ['double|double precision|float8', makeDouble],
  ['bit|bool|boolean|logical', bit],
  ['date', moment('date')],
  [
    'datetime|datetime2|smalldatetime|timestamp|timestamp without time zone|timestamp_s|timestamp_ms|timestamp_us|timestamp_ns',
    moment('datetime'),
  ],
  ['datetimeoffset|timestamptz|timestamp with time zone', moment('datetimeoffset')],
  ['time|time without time zone|timetz|time with time zone', moment('time')],
  ['uuid|uniqueidentifier|guid', makeFixed({ name: 'uuid' })],
  ['json|jsonb', makeFixed({ name: 'json' })],
  ['binary|varbinary|bytea|blob|tinyblob|mediumblob|longblob|image', makeSized('binary')],
  ['rowversion', makeFixed({ name: 'binary', length: 8 })],
];

const types: Readonly<Record<string, Make>> = Object.fromEntries(
  spellings.flatMap(([names, make]) => names.split('|').map((name) => [name, make] as const)),
);

const signable = new Set('tinyint smallint mediumint int integer bigint int1 int2 int3 int4 int8'.split(' '));
const unsignable = new Set(['decimal', 'numeric', 'dec', 'fixed', 'float', 'real', 'double', 'double precision']);

/** MySQL's `int unsigned zerofill`. On decimals and floats, `unsigned` is accepted and left to the database. */
function makeSigned(name: string, marked: boolean, unsigned: boolean): Make | undefined {
  if (!marked) return undefined;
  const make = types[name];
  if (make === undefined || unsignable.has(name)) return make;
  if (!signable.has(name)) return undefined;
  return (first, second) => {
    const type = make(first, second);
    return type?.name === 'integer' ? { ...type, unsigned } : null;
  };
}
