import type { ColumnKind } from '../../../src/core/column.ts';
import type { SqlType, SqlValue } from '../../../src/core/sql-value.ts';
import type { ExpectedCell } from '../connector-contract.ts';

/** A cell with its type and its form in Trino's JSON. */
export interface TrinoCell extends ExpectedCell {
  readonly type: string;
  readonly signature: unknown;
  readonly raw: string;
}

export const type = (rawType: string, ...given: unknown[]) => ({ rawType, arguments: given });
const of = (value: unknown) => ({ kind: 'TYPE', value });
const long = (value: number) => ({ kind: 'LONG', value });
const field = (name: string | undefined, typeSignature: unknown) => ({
  kind: 'NAMED_TYPE',
  value: { ...(name === undefined ? {} : { fieldName: { name } }), typeSignature },
});

function cell(
  sql: string,
  typeText: string,
  kind: ColumnKind,
  raw: string,
  json: string,
  value: SqlValue,
  signature: unknown = type(typeText.replace(/\(.*?\)/, '')),
): TrinoCell {
  const text = value === null ? '' : value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
  return { sql, type: typeText, kind, raw, json, text, value, signature };
}

const bigint = type('bigint');
const varchar = type('varchar', long(2147483647));

export const trinoCells: readonly TrinoCell[] = [
  cell("TINYINT '-128'", 'tinyint', 'integer', '-128', '-128', -128),
  cell("SMALLINT '32767'", 'smallint', 'integer', '32767', '32767', 32767),
  cell('2147483647', 'integer', 'integer', '2147483647', '2147483647', 2147483647),
  cell("BIGINT '9007199254740991'", 'bigint', 'integer', '9007199254740991', '9007199254740991', 9007199254740991),
  cell("BIGINT '9007199254740993'", 'bigint', 'integer', '9007199254740993', '"9007199254740993"', 9007199254740993n),
  cell(
    "BIGINT '-9223372036854775808'",
    'bigint',
    'integer',
    '-9223372036854775808',
    '"-9223372036854775808"',
    -9223372036854775808n,
  ),
  cell("DECIMAL '0.30'", 'decimal(3,2)', 'decimal', '"0.30"', '0.30', '0.30'),
  cell(
    "DECIMAL '12345678901234567890123456789012345.678'",
    'decimal(38,3)',
    'decimal',
    '"12345678901234567890123456789012345.678"',
    '"12345678901234567890123456789012345.678"',
    '12345678901234567890123456789012345.678',
  ),
  cell('0.1e0 + 0.2e0', 'double', 'float', '0.30000000000000004', '0.30000000000000004', 0.30000000000000004),
  cell('1e300', 'double', 'float', '1.0E300', '1e+300', 1e300),
  cell('nan()', 'double', 'float', '"NaN"', 'null', null),
  cell('-infinity()', 'double', 'float', '"-Infinity"', 'null', null),
  cell("REAL '0.1'", 'real', 'float', '0.1', '0.1', 0.1),
  cell('true', 'boolean', 'boolean', 'true', 'true', true),
  cell('false', 'boolean', 'boolean', 'false', 'false', false),
  cell(
    "U&'q\" \\\\ \\0001 \\+01F600 \\05E9'",
    'varchar(10)',
    'text',
    '"q\\" \\\\ \\u0001 😀 ש"',
    '"q\\" \\\\ \\u0001 😀 ש"',
    'q" \\ \u0001 😀 ש',
  ),
  cell("CAST('ab' AS char(4))", 'char(4)', 'text', '"ab  "', '"ab  "', 'ab  '),
  cell('JSON \'{"a":[1,null]}\'', 'json', 'json', '"{\\"a\\":[1,null]}"', '{"a":[1,null]}', '{"a":[1,null]}'),
  cell("X'00FF10'", 'varbinary', 'binary', '"AP8Q"', '"AP8Q"', new Uint8Array([0, 255, 16])),
  cell("DATE '2026-01-31'", 'date', 'date', '"2026-01-31"', '"2026-01-31"', '2026-01-31'),
  cell("TIME '09:30:00.500'", 'time(3)', 'time', '"09:30:00.500"', '"09:30:00.5"', '09:30:00.5'),
  cell(
    "TIME '09:30:00.000 +01:00'",
    'time(3) with time zone',
    'time',
    '"09:30:00.000+01:00"',
    '"09:30:00+01:00"',
    '09:30:00+01:00',
  ),
  cell(
    "TIMESTAMP '2026-01-31 09:30:00.120'",
    'timestamp(3)',
    'timestamp',
    '"2026-01-31 09:30:00.120"',
    '"2026-01-31T09:30:00.12"',
    '2026-01-31T09:30:00.12',
  ),
  cell(
    "TIMESTAMP '2026-01-31 09:30:00.123456789012'",
    'timestamp(12)',
    'timestamp',
    '"2026-01-31 09:30:00.123456789012"',
    '"2026-01-31T09:30:00.123456789012"',
    '2026-01-31T09:30:00.123456789012',
  ),
  ...[
    ['2026-01-31 09:30:00.120 Europe/Berlin', '2026-01-31T08:30:00.12Z'],
    ['2026-07-31 09:30:00.120 Europe/Berlin', '2026-07-31T07:30:00.12Z'],
    ['2026-10-25 02:30:00.000 Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['2026-10-25 03:00:00.000 Europe/Berlin', '2026-10-25T02:00:00Z'],
    ['2026-03-29 03:00:00.000 Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['2026-01-01 00:15:00.000 Asia/Kathmandu', '2025-12-31T18:30:00Z'],
    ['2026-01-31 23:30:00.000 America/New_York', '2026-02-01T04:30:00Z'],
    ['2026-01-31 09:30:00.000 UTC', '2026-01-31T09:30:00Z'],
    ['2026-01-31 09:30:00.000 -03:30', '2026-01-31T13:00:00Z'],
  ].map(([zoned = '', instant = '']) =>
    cell(`TIMESTAMP '${zoned}'`, 'timestamp(3) with time zone', 'timestamptz', `"${zoned}"`, `"${instant}"`, instant),
  ),
  cell("INTERVAL '2' DAY", 'interval day to second', 'interval', '"2 00:00:00.000"', '"2 00:00:00.000"', '2 00:00:00.000'),
  cell("INTERVAL '3' MONTH", 'interval year to month', 'interval', '"0-3"', '"0-3"', '0-3'),
  cell(
    "UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'",
    'uuid',
    'uuid',
    '"12151fd2-7586-11e9-8f9e-2a86e4085a59"',
    '"12151fd2-7586-11e9-8f9e-2a86e4085a59"',
    '12151fd2-7586-11e9-8f9e-2a86e4085a59',
  ),
  cell("IPADDRESS '2001:db8::1'", 'ipaddress', 'other', '"2001:db8::1"', '"2001:db8::1"', '2001:db8::1'),
  cell('NULL', 'unknown', 'other', 'null', 'null', null),
  cell(
    "ARRAY[BIGINT '9007199254740993', 2, NULL]",
    'array(bigint)',
    'json',
    '[9007199254740993,2,null]',
    '["9007199254740993",2,null]',
    '["9007199254740993",2,null]',
    type('array', of(bigint)),
  ),
  cell(
    `MAP(ARRAY['k "1"', 'l'], ARRAY[DECIMAL '0.50', NULL])`,
    'map(varchar(5), decimal(3,2))',
    'json',
    '{"k \\"1\\"":"0.50","l":null}',
    '{"k \\"1\\"":0.50,"l":null}',
    '{"k \\"1\\"":0.50,"l":null}',
    type('map', of(varchar), of(type('decimal', long(3), long(2)))),
  ),
  cell(
    "CAST(ROW(1, TIMESTAMP '2026-01-31 09:30:00.000', ARRAY['x']) AS ROW(a bigint, \"at\" timestamp(3), c array(varchar)))",
    'row(a bigint, "at" timestamp(3), c array(varchar))',
    'json',
    '[1,"2026-01-31 09:30:00.000",["x"]]',
    '{"a":1,"at":"2026-01-31T09:30:00","c":["x"]}',
    '{"a":1,"at":"2026-01-31T09:30:00","c":["x"]}',
    type('row', field('a', bigint), field('at', type('timestamp', long(3))), field('c', type('array', of(varchar)))),
  ),
  cell(
    "ROW(BIGINT '1', true)",
    'row(bigint, boolean)',
    'json',
    '[1,true]',
    '[1,true]',
    '[1,true]',
    type('row', field(undefined, bigint), field(undefined, type('boolean'))),
  ),
];

export interface TrinoEcho {
  readonly type: SqlType;
  readonly value: string | null;
  readonly json: string;
}

const bits = (count: 8 | 16 | 32 | 64, unsigned = false): SqlType => ({ name: 'integer', bits: count, unsigned });

export const trinoEchoes: readonly TrinoEcho[] = [
  { type: { name: 'text' }, value: "it's 100% \\ ? \n '' 😀", json: JSON.stringify("it's 100% \\ ? \n '' 😀") },
  { type: { name: 'text' }, value: '', json: '""' },
  { type: bits(8), value: '-128', json: '-128' },
  { type: bits(16), value: '32767', json: '32767' },
  { type: bits(32), value: '-2147483648', json: '-2147483648' },
  { type: bits(64), value: '9223372036854775807', json: '"9223372036854775807"' },
  { type: bits(64, true), value: '18446744073709551615', json: '"18446744073709551615"' },
  { type: { name: 'decimal', precision: 12, scale: 2 }, value: '-12.50', json: '-12.50' },
  { type: { name: 'float', bits: 64 }, value: '0.1', json: '0.1' },
  { type: { name: 'float', bits: 32 }, value: '0.5', json: '0.5' },
  { type: { name: 'bit' }, value: 'true', json: 'true' },
  { type: { name: 'date' }, value: '2026-01-31', json: '"2026-01-31"' },
  { type: { name: 'datetime' }, value: '2026-01-31T09:30:00.123', json: '"2026-01-31T09:30:00.123"' },
  { type: { name: 'datetimeoffset' }, value: '2026-01-31T09:30:00.5Z', json: '"2026-01-31T09:30:00.5Z"' },
  { type: { name: 'time' }, value: '09:30:00.5', json: '"09:30:00.5"' },
  { type: { name: 'uuid' }, value: '12151fd2-7586-11e9-8f9e-2a86e4085a59', json: '"12151fd2-7586-11e9-8f9e-2a86e4085a59"' },
  { type: { name: 'json' }, value: '{"a":[1]}', json: '{"a":[1]}' },
  { type: { name: 'binary' }, value: 'AP8Q', json: '"AP8Q"' },
];
