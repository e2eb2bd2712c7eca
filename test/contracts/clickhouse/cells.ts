import type { ColumnKind } from '../../../src/core/column.ts';
import type { SqlType, SqlValue } from '../../../src/core/sql-value.ts';
import type { ExpectedCell } from '../connector-contract.ts';

/** A cell with its type and its form in ClickHouse's JSON. */
export interface ClickHouseCell extends ExpectedCell {
  readonly type: string;
  readonly raw: string;
}

function cell(sql: string, type: string, kind: ColumnKind, raw: string, json: string, value: SqlValue): ClickHouseCell {
  return { sql, type, kind, raw, json, text: value === null ? '' : String(value), value };
}

const text = (sql: string, type: string, kind: ColumnKind, raw: string, shown: string): ClickHouseCell =>
  cell(sql, type, kind, JSON.stringify(raw), JSON.stringify(shown), shown);
const same = (sql: string, type: string, kind: ColumnKind, raw: string): ClickHouseCell => text(sql, type, kind, raw, raw);
const nested = (sql: string, type: string, raw: string, json = raw): ClickHouseCell => cell(sql, type, 'json', raw, json, json);

/** Types of all server versions. The time zone of the server is Europe/Berlin. */
export const clickHouseCells: readonly ClickHouseCell[] = [
  cell('toInt8(-128)', 'Int8', 'integer', '-128', '-128', -128),
  cell('toUInt16(65535)', 'UInt16', 'integer', '65535', '65535', 65535),
  cell('toUInt64(9007199254740991)', 'UInt64', 'integer', '9007199254740991', '9007199254740991', 9007199254740991),
  cell(
    'toUInt64(18446744073709551615)',
    'UInt64',
    'integer',
    '18446744073709551615',
    '"18446744073709551615"',
    18446744073709551615n,
  ),
  cell(
    "toInt64('-9223372036854775808')",
    'Int64',
    'integer',
    '-9223372036854775808',
    '"-9223372036854775808"',
    -9223372036854775808n,
  ),
  cell("toDecimal64('0.30', 2)", 'Decimal(18, 2)', 'decimal', '0.30', '0.30', '0.30'),
  cell(
    "toDecimal128('12345678901234567890.12345', 5)",
    'Decimal(38, 5)',
    'decimal',
    '12345678901234567890.12345',
    '"12345678901234567890.12345"',
    '12345678901234567890.12345',
  ),
  cell('0.1 + 0.2', 'Float64', 'float', '0.30000000000000004', '0.30000000000000004', 0.30000000000000004),
  cell('toFloat32(0.1)', 'Float32', 'float', '0.1', '0.1', 0.1),
  cell('0 / 0', 'Float64', 'float', 'null', 'null', null),
  cell('-1 / 0', 'Float64', 'float', 'null', 'null', null),
  same("'q\" / \\\\ \\n 😀 ש'", 'String', 'text', 'q" / \\ \n 😀 ש'),
  same("toFixedString('ab', 4)", 'FixedString(4)', 'text', 'ab\0\0'),
  same("CAST('b' AS Enum8('a' = 1, 'b' = 2))", "Enum8('a' = 1, 'b' = 2)", 'text', 'b'),
  same("toUUID('12151fd2-7586-11e9-8f9e-2a86e4085a59')", 'UUID', 'uuid', '12151fd2-7586-11e9-8f9e-2a86e4085a59'),
  same("toDate('2026-01-31')", 'Date', 'date', '2026-01-31'),
  text("toDateTime('2026-01-31 09:30:00')", 'DateTime', 'timestamptz', '2026-01-31 09:30:00', '2026-01-31T08:30:00Z'),
  text(
    "toDateTime('2026-07-31 09:30:00', 'UTC')",
    "DateTime('UTC')",
    'timestamptz',
    '2026-07-31 09:30:00',
    '2026-07-31T09:30:00Z',
  ),
  text(
    "toDateTime('2026-07-31 09:30:00', 'Asia/Kathmandu')",
    "DateTime('Asia/Kathmandu')",
    'timestamptz',
    '2026-07-31 09:30:00',
    '2026-07-31T03:45:00Z',
  ),
  cell('NULL', 'Nullable(Nothing)', 'other', 'null', 'null', null),
  cell('CAST(NULL AS Nullable(Int32))', 'Nullable(Int32)', 'integer', 'null', 'null', null),
  nested('[toUInt64(9007199254740993), 2]', 'Array(UInt64)', '[9007199254740993,2]', '["9007199254740993",2]'),
  nested("['a\"', NULL]", 'Array(Nullable(String))', '["a\\"",null]'),
  nested("(1, 'a', [toDate('2026-01-31')])", 'Tuple(UInt8, String, Array(Date))', '[1,"a",["2026-01-31"]]'),
  nested(
    "[toDateTime('2026-01-31 09:30:00', 'UTC')]",
    "Array(DateTime('UTC'))",
    '["2026-01-31 09:30:00"]',
    '["2026-01-31T09:30:00Z"]',
  ),
  nested("[toDecimal64('0.50', 2)]", 'Array(Decimal(18, 2))', '[0.50]'),
];

/** Types of newer versions. */
export const newerClickHouseCells: readonly ClickHouseCell[] = [
  cell(
    'toUInt256(12345678901234567890)',
    'UInt256',
    'integer',
    '"12345678901234567890"',
    '"12345678901234567890"',
    12345678901234567890n,
  ),
  cell('toInt64(1)', 'Int64', 'integer', '"1"', '1', 1), // a server that does not allow changing settings
  cell('nan', 'Float64', 'float', '"nan"', 'null', null),
  cell('true', 'Bool', 'boolean', 'true', 'true', true),
  same("toDate32('1925-01-01')", 'Date32', 'date', '1925-01-01'),
  text(
    "toDateTime64('2026-01-31 09:30:00.120', 3, 'UTC')",
    "DateTime64(3, 'UTC')",
    'timestamptz',
    '2026-01-31T09:30:00.120Z',
    '2026-01-31T09:30:00.12Z',
  ),
  same("toLowCardinality('x')", 'LowCardinality(String)', 'text', 'x'),
  same("toIPv4('127.0.0.1')", 'IPv4', 'other', '127.0.0.1'),
  same("toIPv6('2001:db8::1')", 'IPv6', 'other', '2001:db8::1'),
  cell('INTERVAL 2 DAY', 'IntervalDay', 'interval', '2', '"2"', '2'),
  nested(
    'map(\'k "1"\', toInt64(9007199254740993))',
    'Map(String, Int64)',
    '{"k \\"1\\"":9007199254740993}',
    '{"k \\"1\\"":"9007199254740993"}',
  ),
  nested("CAST((1, 'x') AS Tuple(a UInt8, `b c` String))", 'Tuple(a UInt8, `b c` String)', '{"a":1,"b c":"x"}'),
  nested(`'{"a":[1,null]}'::JSON`, 'JSON', '{"a":[1,null]}'),
  nested('CAST(1 AS Dynamic)', 'Dynamic', '1'),
];

const bits = (count: 8 | 16 | 32 | 64, unsigned = false): SqlType => ({ name: 'integer', bits: count, unsigned });

export const clickHouseEchoes: readonly { readonly type: SqlType; readonly value: string | null; readonly json: string }[] = [
  {
    type: { name: 'text' },
    value: "it's 100% \\ \t \n {p0:String} 😀",
    json: JSON.stringify("it's 100% \\ \t \n {p0:String} 😀"),
  },
  { type: { name: 'text' }, value: '', json: '""' },
  { type: { name: 'text' }, value: '\\N', json: '"\\\\N"' },
  { type: bits(8), value: '-128', json: '-128' },
  { type: bits(32), value: '-2147483648', json: '-2147483648' },
  { type: bits(64), value: '9223372036854775807', json: '"9223372036854775807"' },
  { type: bits(64, true), value: '18446744073709551615', json: '"18446744073709551615"' },
  { type: { name: 'decimal', precision: 12, scale: 2 }, value: '-12.5', json: '-12.5' },
  { type: { name: 'float', bits: 64 }, value: '0.1', json: '0.1' },
  { type: { name: 'bit' }, value: 'true', json: 'true' },
  { type: { name: 'date' }, value: '2026-01-31', json: '"2026-01-31"' },
  { type: { name: 'datetime' }, value: '2026-01-31T09:30:00.123', json: '"2026-01-31T09:30:00.123Z"' },
  { type: { name: 'datetimeoffset' }, value: '2026-01-31T09:30:00.5Z', json: '"2026-01-31T09:30:00.5Z"' },
  { type: { name: 'time' }, value: '09:30:00.5', json: '"09:30:00.5"' },
  { type: { name: 'uuid' }, value: '12151fd2-7586-11e9-8f9e-2a86e4085a59', json: '"12151fd2-7586-11e9-8f9e-2a86e4085a59"' },
  { type: { name: 'json' }, value: '{"a":[1]}', json: '"{\\"a\\":[1]}"' },
];
