import type { SqlType } from '../../../src/core/sql-value.ts';
import type { ExpectedCell } from '../connector-contract.ts';

/** One row with a column for every type and limit that expressions cannot produce. */
export const mysqlTypesTable = [
  `CREATE TABLE types (
    tiny tinyint, tiny_unsigned tinyint unsigned, bool_true bool, small smallint, small_unsigned smallint unsigned,
    medium mediumint, medium_unsigned mediumint unsigned, whole int, whole_unsigned int unsigned, padded int(8) unsigned zerofill,
    big bigint, big_unsigned bigint unsigned,
    exact decimal(65,30), exact_padded decimal(10,2) unsigned zerofill, exact_whole decimal(20,0),
    single float, single_largest float, fixed float(7,2), twofold double,
    bit_one bit(1), bit_zero bit(1), bit_nine bit(9), bit_all bit(64),
    fixed_text char(5), latin varchar(20) CHARACTER SET latin1, long_text longtext, choice enum('a', 'b'), choices set('x', 'y', 'z'),
    json_valid json, json_broken longtext,
    day date, zero_day date, half_day date, long_time time(6), back_time time, moment datetime(6), zero_moment datetime,
    instant timestamp(6) NULL, year_only year,
    fixed_bytes binary(4), bytes varbinary(10), blob_bytes blob, shape geometry, spot point, id uuid, address inet6, address4 inet4
  ) CHARACTER SET utf8mb4`,
  "SET SESSION sql_mode = ''",
  `INSERT INTO types SELECT
    -128, 255, true, -32768, 65535,
    -8388608, 16777215, -2147483648, 4294967295, 42,
    -9223372036854775808, 18446744073709551615,
    '-12345678901234567890123456789012345.123456789012345678901234567890', 12.5, 9007199254740993,
    0.1, 3.4028235e38, 1234.5, 1.7976931348623157e308,
    b'1', b'0', b'100000001', 18446744073709551615,
    'ab', 'Zürich ÿ', repeat('ä', 70000), 'b', 'x,z',
    '{"a": [1, 2.50, 12345678901234567890]}', '{"a":',
    '2026-01-31', '0000-00-00', '2026-00-00', '838:59:59.999999', '-12:30:00', '2026-01-31 09:30:00.120000', 0,
    '2026-01-31 09:30:00.5', 2026,
    'ab', x'00ff', x'00ff6162', ST_GeomFromText('POINT(1 2)'), ST_GeomFromText('POINT(1 2)'),
    '00112233-4455-6677-8899-aabbccddeeff', '2001:db8::ff00:42:8329', '192.0.2.1'`,
];

const point = 'AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA=='; // SRID 0, then the WKB of POINT(1 2)

/** The cells of MySQL's types. */
export function mysqlCells(): ExpectedCell[] {
  const cell = (
    sql: string,
    kind: ExpectedCell['kind'],
    json: string,
    value: ExpectedCell['value'],
    text?: string,
  ): ExpectedCell => ({
    sql,
    kind,
    json,
    value,
    text: text ?? (json === 'null' ? '' : json.startsWith('"') ? json.slice(1, -1) : json),
  });
  const same = (sql: string, kind: ExpectedCell['kind'], text: string): ExpectedCell => cell(sql, kind, `"${text}"`, text);
  // the rest of the statement becomes a comment
  const of = (column: string): string => `${column} AS cell FROM types -- `;
  const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));
  return [
    cell(of('tiny'), 'integer', '-128', -128),
    cell(of('tiny_unsigned'), 'integer', '255', 255),
    cell(of('bool_true'), 'integer', '1', 1),
    cell('true', 'integer', '1', 1),
    cell(of('small'), 'integer', '-32768', -32768),
    cell(of('small_unsigned'), 'integer', '65535', 65535),
    cell(of('medium'), 'integer', '-8388608', -8388608),
    cell(of('medium_unsigned'), 'integer', '16777215', 16777215),
    cell(of('whole'), 'integer', '-2147483648', -2147483648),
    cell(of('whole_unsigned'), 'integer', '4294967295', 4294967295),
    cell(of('padded'), 'integer', '42', 42),
    cell(of('big'), 'integer', '"-9223372036854775808"', -9223372036854775808n),
    cell(of('big_unsigned'), 'integer', '"18446744073709551615"', 18446744073709551615n),
    cell('9007199254740991', 'integer', '9007199254740991', 9007199254740991),
    cell('-9007199254740991', 'integer', '-9007199254740991', -9007199254740991),
    cell('9007199254740992', 'integer', '"9007199254740992"', 9007199254740992n),
    cell('CAST(NULL AS SIGNED)', 'integer', 'null', null),
    cell(
      of('exact'),
      'decimal',
      '"-12345678901234567890123456789012345.123456789012345678901234567890"',
      '-12345678901234567890123456789012345.123456789012345678901234567890',
    ),
    cell(of('exact_padded'), 'decimal', '12.50', '12.50'),
    cell(of('exact_whole'), 'decimal', '"9007199254740993"', 9007199254740993n),
    cell('-0.05', 'decimal', '-0.05', '-0.05'),
    cell('1.50', 'decimal', '1.50', '1.50'),
    cell('9007199254740991.99', 'decimal', '9007199254740991.99', '9007199254740991.99'),
    cell('9007199254740992.00', 'decimal', '"9007199254740992.00"', '9007199254740992.00'),
    cell(of('single'), 'float', '0.1', 0.1),
    cell('CAST(16777217 AS FLOAT)', 'float', '16777216', 16777216),
    cell(of('single_largest'), 'float', '3.4028235e+38', 3.4028235e38),
    cell(of('fixed'), 'float', '1234.5', 1234.5),
    cell(of('twofold'), 'float', '1.7976931348623157e+308', 1.7976931348623157e308),
    cell('0.1e0', 'float', '0.1', 0.1),
    cell('5e-324', 'float', '5e-324', 5e-324),
    cell('0e0', 'float', '0', 0),
    cell('123456789012e0', 'float', '123456789012', 123456789012),
    cell(of('bit_one'), 'boolean', 'true', true),
    cell(of('bit_zero'), 'boolean', 'false', false),
    cell('(SELECT bit_one FROM types)', 'boolean', 'true', true),
    cell('(SELECT bit_zero FROM types)', 'boolean', 'false', false),
    cell('(SELECT bit_nine + 0 FROM types)', 'integer', '257', 257),
    cell(of('bit_nine'), 'integer', '257', 257),
    cell(of('bit_all'), 'integer', '"18446744073709551615"', 18446744073709551615n),
    same(of('fixed_text'), 'text', 'ab'),
    same(of('latin'), 'text', 'Zürich ÿ'),
    same(of('long_text'), 'text', 'ä'.repeat(70_000)),
    same(of('choice'), 'text', 'b'),
    same(of('choices'), 'text', 'x,z'),
    same('(SELECT choices FROM types)', 'text', 'x,z'),
    same("''", 'text', ''),
    same("'ä€😀'", 'text', 'ä€😀'),
    cell("'it''s \\' \\\\'", 'text', `"it's ' \\\\"`, "it's ' \\", "it's ' \\"),
    cell(
      `concat('quote " backslash \\\\ and', char(10 using utf8mb4), char(1 using utf8mb4), char(0 using utf8mb4))`,
      'text',
      '"quote \\" backslash \\\\ and\\n\\u0001\\u0000"',
      'quote " backslash \\ and\n\u0001\u0000',
      'quote " backslash \\ and\n\u0001\u0000',
    ),
    cell(of('json_valid'), 'json', '{"a": [1, 2.50, 12345678901234567890]}', '{"a": [1, 2.50, 12345678901234567890]}'),
    cell(`JSON_COMPACT(concat('{"a":', char(10 using utf8mb4), '1}'))`, 'json', '{"a":1}', '{"a":1}'),
    cell(of('json_broken'), 'text', '"{\\"a\\":"', '{"a":', '{"a":'),
    same(of('day'), 'date', '2026-01-31'),
    same(of('zero_day'), 'date', '0000-00-00'),
    same(of('half_day'), 'date', '2026-00-00'),
    same("DATE '9999-12-31'", 'date', '9999-12-31'),
    same(of('long_time'), 'time', '838:59:59.999999'),
    same(of('back_time'), 'time', '-12:30:00'),
    same("TIME '00:00:00'", 'time', '00:00:00'),
    same("TIME '09:30:00.500'", 'time', '09:30:00.5'),
    same(of('moment'), 'timestamp', '2026-01-31T09:30:00.12'),
    same(of('zero_moment'), 'timestamp', '0000-00-00T00:00:00'),
    same("TIMESTAMP '2026-01-31 00:00:00'", 'timestamp', '2026-01-31T00:00:00'),
    same("TIMESTAMP '2026-03-29 02:30:00.000001'", 'timestamp', '2026-03-29T02:30:00.000001'),
    same('FROM_UNIXTIME(0)', 'timestamp', '1970-01-01T00:00:00'),
    same(of('instant'), 'timestamptz', '2026-01-31T09:30:00.5Z'),
    same('(SELECT max(instant) FROM types)', 'timestamptz', '2026-01-31T09:30:00.5Z'),
    cell(of('year_only'), 'integer', '2026', 2026),
    cell(of('fixed_bytes'), 'binary', '"YWIAAA=="', bytes('YWIAAA==')),
    cell(of('bytes'), 'binary', '"AP8="', bytes('AP8=')),
    cell(of('blob_bytes'), 'binary', '"AP9hYg=="', bytes('AP9hYg==')),
    cell(of('shape'), 'binary', `"${point}"`, bytes(point)),
    cell(of('spot'), 'binary', `"${point}"`, bytes(point)),
    same(of('id'), 'uuid', '00112233-4455-6677-8899-aabbccddeeff'),
    same(of('address'), 'other', '2001:db8::ff00:42:8329'),
    same(of('address4'), 'other', '192.0.2.1'),
    cell('NULL', 'undeclared', 'null', null),
  ];
}

/** Parameters of every type, at the limits of its range. */
export function mysqlEchoes(): { type: SqlType; value: string | null; json: string }[] {
  const integer = (bits: 8 | 16 | 32 | 64, unsigned: boolean, value: string, json = value) => ({
    type: { name: 'integer', bits, unsigned } as const,
    value,
    json,
  });
  const decimal = (precision: number, scale: number, value: string, json = value) => ({
    type: { name: 'decimal', precision, scale } as const,
    value,
    json,
  });
  const plain = (
    name: 'bit' | 'date' | 'datetime' | 'datetimeoffset' | 'time' | 'uuid' | 'json' | 'text' | 'binary',
    value: string,
    json = `"${value}"`,
  ) => ({
    type: { name } as SqlType,
    value,
    json,
  });
  return [
    integer(8, false, '-128'),
    integer(8, true, '255'),
    integer(32, false, '-2147483648'),
    integer(32, true, '4294967295'),
    integer(64, false, '-9223372036854775808', '"-9223372036854775808"'),
    integer(64, true, '18446744073709551615', '"18446744073709551615"'),
    decimal(12, 2, '1234567890.12'),
    decimal(12, 2, '-0.5', '-0.50'),
    decimal(4, 0, '12'),
    decimal(38, 10, '1234567890123456789012345678.0123456789', '"1234567890123456789012345678.0123456789"'),
    { type: { name: 'decimal' }, value: '12.345', json: '12.345' },
    { type: { name: 'decimal' }, value: '0.1234567890123456789012', json: '0.1234567890123456789012' },
    { type: { name: 'decimal' }, value: '-12345678901234567890.5', json: '"-12345678901234567890.5"' },
    { type: { name: 'float', bits: 64 }, value: '0.1', json: '0.1' },
    { type: { name: 'float', bits: 64 }, value: '5e-324', json: '5e-324' },
    { type: { name: 'float', bits: 32 }, value: '0.1', json: '0.1' },
    plain('bit', 'true', '1'), // there are no booleans here, only the numbers 1 and 0
    plain('bit', 'false', '0'),
    plain('date', '2026-01-31'),
    plain('date', '0001-01-01'),
    plain('date', '9999-12-31'),
    plain('datetime', '2026-01-31T09:30:00.123456'),
    plain('datetime', '1899-12-31T23:59:59.9999999', '"1899-12-31T23:59:59.999999"'),
    plain('datetimeoffset', '2026-01-31T09:30:00.5Z', '"2026-01-31T09:30:00.5"'),
    plain('time', '09:30:00.5'),
    plain('time', '23:59:59.999999'),
    plain('uuid', '00112233-4455-6677-8899-aabbccddeeff'),
    plain('json', '{"a":1}', '"{\\"a\\":1}"'),
    plain('text', ''),
    plain('text', 'O’Brien; -- @Value'),
    plain('binary', 'AP9hYg=='),
  ];
}
