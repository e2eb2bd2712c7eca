import { expect, test } from 'vitest';
import { cellOf } from '../../../src/connectors/sqlserver/cells.ts';
import { WireBatch } from '../../../src/connectors/sqlserver/result-rows.ts';
import { RowParser } from '../../../src/connectors/sqlserver/row-connection.ts';
import type { SqlValue } from '../../../src/core/sql-value.ts';
import { column } from '../../doubles/tds/answer.ts';
import { Bytes } from '../../doubles/tds/bytes.ts';
import { columnMetadata, done, doneStatus, type Row, writeRow } from '../../doubles/tds/tokens.ts';

const types = [
  'int',
  'nvarchar(max)',
  'decimal(38,10)',
  'text',
  'sql_variant',
  'varbinary(max)',
  'varchar(20)',
  'datetime2(7)',
  'money',
];
const columns = types.map((type, index) => column(`c${index}`, type));
const rows: Row[] = [
  ['1', 'some letters in parts', '-1.5', 'old', 'nvarchar:x', '0x00ff61', 'short', '2026-01-31T09:30:00.1234567', '0.0001'],
  ['2', null, null, null, null, null, null, null, null],
  [null, '', '0', '', 'decimal:-0.05', '0x', '', '0001-01-01T00:00:00', '-0.0001'],
  ['4', 'ä'.repeat(3001), '9'.repeat(28), 'y'.repeat(300), 'int:7', '0x01', 'z', '9999-12-31T23:59:59.9999999', '1'],
];
const expected: SqlValue[][] = [
  [
    1,
    'some letters in parts',
    '-1.5000000000',
    'old',
    'x',
    new Uint8Array([0, 255, 97]),
    'short',
    '2026-01-31T09:30:00.1234567',
    '0.0001',
  ],
  [2, null, null, null, null, null, null, null, null],
  [null, '', '0.0000000000', '', '-0.05', new Uint8Array(), '', '0001-01-01T00:00:00', '-0.0001'],
  [
    4,
    'ä'.repeat(3001),
    `${'9'.repeat(28)}.0000000000`,
    'y'.repeat(300),
    '7',
    new Uint8Array([1]),
    'z',
    '9999-12-31T23:59:59.9999999',
    '1.0000',
  ],
];

test.each([1, 2, 3, 5, 7, 64, 500, 4096, 100_000])('rows in chunks of %d bytes are the same', (size) => {
  const bytes = new Bytes();
  for (const row of rows) writeRow(bytes, columns, row);
  const message = Buffer.concat([columnMetadata(columns), bytes.take(), done(doneStatus.count, rows.length)]);
  const read: SqlValue[][] = [];
  const parser = new RowParser(options, {
    take(taken, places) {
      const batch = new WireBatch(taken, places, parser.colMetadata.map(cellOf));
      for (let row = 0; row < batch.length; row++) read.push(columns.map((_, index) => batch.value(row, index)));
    },
  });
  const tokens: string[] = [];
  for (let at = 0; at < message.length; at += size) {
    parser.write(Buffer.from(message.subarray(at, at + size)));
    for (let token = parser.read(); token !== undefined; token = parser.read()) tokens.push(token.name);
  }
  parser.end();
  expect(tokens).toEqual(['COLMETADATA', 'DONE']);
  expect(read).toEqual(expected);
});

test('refuses a cell that declares too large a length without waiting for it', () => {
  const large = [column('v', 'varbinary(max)')];
  const parser = new RowParser(options, { take: () => {} });
  parser.write(
    Buffer.concat([
      columnMetadata(large),
      new Bytes()
        .u8(0xd1)
        .i64(BigInt((16 << 20) + 1))
        .take(),
    ]),
  );
  expect(parser.read()?.name).toBe('COLMETADATA');
  expect(() => parser.read()).toThrow(/16 MiB/);
});

const options = {
  tdsVersion: '7_4',
  useUTC: true,
  lowerCaseGuids: false,
  useColumnNames: false,
  columnNameReplacer: undefined,
  camelCaseColumns: false,
};
