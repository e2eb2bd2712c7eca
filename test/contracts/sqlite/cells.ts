import type { SqlType } from '../../../src/core/sql-value.ts';
import type { ExpectedCell } from '../connector-contract.ts';

const uuid = '00112233-4455-6677-8899-aabbccddeeff';

/** The rows of the table `cells`, each with one column that is not NULL, by their rowid. */
export const storedCells: { readonly column: string; readonly sql: string }[] = [];

/** The cells of SQLite: by storage class, and by the declared type of their column if it matches. */
export const sqliteCells: readonly ExpectedCell[] = expectedCells();

function expectedCells(): ExpectedCell[] {
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
  /** A value stored in a column of the table `cells`. */
  const declared = (
    column: string,
    sql: string,
    kind: ExpectedCell['kind'],
    json: string,
    value: ExpectedCell['value'],
    text?: string,
  ): ExpectedCell => {
    storedCells.push({ column, sql });
    return cell(`(SELECT ${column} FROM cells WHERE rowid = ${storedCells.length})`, kind, json, value, text);
  };
  return [
    cell('1', 'undeclared', '1', 1),
    cell('NULL', 'undeclared', 'null', null),
    cell('-2147483648', 'undeclared', '-2147483648', -2147483648),
    cell('9007199254740991', 'undeclared', '9007199254740991', 9007199254740991),
    cell('-9007199254740991', 'undeclared', '-9007199254740991', -9007199254740991),
    cell('9007199254740992', 'undeclared', '"9007199254740992"', 9007199254740992n),
    cell('9007199254740993', 'undeclared', '"9007199254740993"', 9007199254740993n),
    cell('-9223372036854775808', 'undeclared', '"-9223372036854775808"', -9223372036854775808n),
    cell('9223372036854775807', 'undeclared', '"9223372036854775807"', 9223372036854775807n),
    cell('0.1', 'undeclared', '0.1', 0.1),
    cell('1.0', 'undeclared', '1', 1),
    cell('0.1 + 0.2', 'undeclared', '0.30000000000000004', 0.30000000000000004),
    cell('1e300', 'undeclared', '1e+300', 1e300),
    cell('5e-324', 'undeclared', '5e-324', 5e-324),
    cell('-0.0', 'undeclared', '-0', -0),
    cell('1e400', 'undeclared', 'null', null),
    cell('-1e400', 'undeclared', 'null', null),
    cell('1 = 1', 'undeclared', '1', 1),
    cell("''", 'undeclared', '""', ''),
    cell(`'say "hi" \\ there'`, 'undeclared', '"say \\"hi\\" \\\\ there"', 'say "hi" \\ there', 'say "hi" \\ there'),
    cell("'a' || char(10, 9, 0, 1) || 'b'", 'undeclared', '"a\\n\\t\\u0000\\u0001b"', 'a\n\t\0\x01b', 'a\n\t\0\x01b'),
    cell("'ä€😀 שלום'", 'undeclared', '"ä€😀 שלום"', 'ä€😀 שלום'),
    cell("CAST(x'61ff62' AS TEXT)", 'undeclared', '"a\ufffdb"', 'a\ufffdb'),
    cell("x'00ff6162'", 'undeclared', '"AP9hYg=="', new Uint8Array([0, 255, 97, 98])),
    cell("x''", 'undeclared', '""', new Uint8Array([])),
    cell('json(\'{"a": [1, 2.50]}\')', 'undeclared', '"{\\"a\\":[1,2.50]}"', '{"a":[1,2.50]}', '{"a":[1,2.50]}'),
    cell("jsonb('[1]')", 'undeclared', '"KxMx"', new Uint8Array([43, 19, 49])),
    cell("date('2026-01-31')", 'undeclared', '"2026-01-31"', '2026-01-31'),
    cell("strftime('%H', '2026-01-31 09:30', 'localtime')", 'undeclared', '"09"', '09'),
    cell('(SELECT id FROM items LIMIT 1)', 'integer', '1', 1),
    cell('(SELECT id FROM items WHERE false)', 'integer', 'null', null),
    cell('(SELECT name FROM named LIMIT 1)', 'text', '"one"', 'one'),
    declared('an_integer', '7', 'integer', '7', 7),
    declared('an_integer', '9007199254740993', 'integer', '"9007199254740993"', 9007199254740993n),
    declared('an_integer', "'not a number'", 'integer', '"not a number"', 'not a number'),
    declared('a_real', '1e21', 'float', '1e+21', 1e21),
    declared('a_real', '12', 'float', '12', 12),
    declared('a_decimal', '12.25', 'decimal', '12.25', 12.25),
    declared('a_decimal', '12', 'decimal', '12', 12),
    declared('a_text', "'x'", 'text', '"x"', 'x'),
    declared('a_varchar', "'x'", 'text', '"x"', 'x'),
    declared('a_blob', "x'01'", 'binary', '"AQ=="', new Uint8Array([1])),
    declared('a_boolean', '0', 'boolean', 'false', false),
    declared('a_boolean', '1', 'boolean', 'true', true),
    declared('a_boolean', '2', 'boolean', '2', 2),
    declared('a_boolean', "'yes'", 'boolean', '"yes"', 'yes'),
    declared('a_boolean', 'NULL', 'boolean', 'null', null),
    declared('a_date', "'2026-01-31'", 'date', '"2026-01-31"', '2026-01-31'),
    declared('a_date', '20260131', 'date', '20260131', 20260131),
    declared('a_time', "'09:30:00'", 'time', '"09:30:00"', '09:30:00'),
    declared('a_timestamp', "'2026-01-31 09:30:00.120'", 'timestamp', '"2026-01-31T09:30:00.12"', '2026-01-31T09:30:00.12'),
    declared('a_timestamp', "'soon'", 'timestamp', '"soon"', 'soon'),
    declared('a_timestamp', '1769851800', 'timestamp', '1769851800', 1769851800),
    declared('a_timestamptz', "'2026-01-31 09:30:00+02:00'", 'timestamptz', '"2026-01-31T07:30:00Z"', '2026-01-31T07:30:00Z'),
    declared('a_json', `'{"a": [1, 2.50]}'`, 'json', '{"a": [1, 2.50]}', '{"a": [1, 2.50]}'),
    declared('a_json', `'{"a":' || char(10) || '1}'`, 'json', '{"a": 1}', '{"a": 1}'),
    declared('a_json', "'no json'", 'json', '"no json"', 'no json'),
    declared('a_json', '5', 'json', '5', 5),
    declared('a_uuid', "'00112233-4455-6677-8899-aabbccddeeff'", 'uuid', '"00112233-4455-6677-8899-aabbccddeeff"', uuid),
    declared('an_other', "'POINT(1 2)'", 'other', '"POINT(1 2)"', 'POINT(1 2)'),
    declared('an_any', '5', 'undeclared', '5', 5),
    declared('a_point', "'1,2'", 'other', '"1,2"', '1,2'),
    declared('an_interval', "'1 day'", 'interval', '"1 day"', '1 day'),
  ];
}

/** Parameters of every type, with the storage class of the same literal. */
export function sqliteEchoes(): { type: SqlType; value: string | null; json: string }[] {
  const integer = (bits: 8 | 16 | 32 | 64, unsigned: boolean, value: string, json = value) => ({
    type: { name: 'integer', bits, unsigned } as const,
    value,
    json,
  });
  const plain = (
    name: 'bit' | 'date' | 'datetime' | 'datetimeoffset' | 'time' | 'uuid' | 'json' | 'text' | 'binary' | 'decimal',
    value: string,
    json = `"${value}"`,
  ) => ({ type: { name } as SqlType, value, json });
  return [
    integer(8, false, '-128'),
    integer(32, true, '4294967295'),
    integer(64, false, '-9223372036854775808', '"-9223372036854775808"'),
    integer(64, false, '9223372036854775807', '"9223372036854775807"'),
    plain('decimal', '12.5', '12.5'),
    plain('decimal', '-12', '-12'),
    plain('decimal', '9007199254740993', '"9007199254740993"'),
    { type: { name: 'float', bits: 64 }, value: '0.1', json: '0.1' },
    { type: { name: 'float', bits: 64 }, value: '2', json: '2' },
    plain('bit', 'true', '1'),
    plain('bit', 'false', '0'),
    plain('date', '2026-01-31'),
    plain('datetime', '2026-01-31T09:30:00.123456', '"2026-01-31 09:30:00.123456"'),
    plain('datetimeoffset', '2026-01-31T09:30:00.5Z', '"2026-01-31 09:30:00.5"'),
    plain('time', '09:30:00.5'),
    plain('uuid', uuid),
    plain('json', '{"a":1}', '"{\\"a\\":1}"'),
    plain('text', ''),
    plain('text', 'O’Brien; -- @Value'),
    plain('binary', 'AP9hYg=='),
  ];
}
