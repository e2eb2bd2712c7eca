import { expect, test } from 'vitest';
import { mainThreadMs } from '../../test/support/faults/thread-time.ts';
import type { SqlType } from '../core/sql-value.ts';
import { familyOf, parseSqlType } from './sql-type.ts';

const integer = (bits: 8 | 16 | 32 | 64, unsigned = false): SqlType => ({ name: 'integer', bits, unsigned });

test.each<[string, SqlType]>([
  ['nvarchar', { name: 'text' }],
  ['NVarChar(50)', { name: 'text', length: 50 }],
  [' nvarchar ( 50 ) ', { name: 'text', length: 50 }],
  ['nvarchar(max)', { name: 'text' }],
  ['character  varying(20)', { name: 'text', length: 20 }],
  ['national character varying(20)', { name: 'text', length: 20 }],
  ['xml', { name: 'text' }],
  ['longtext', { name: 'text' }],
  ['int', integer(32)],
  ['INTEGER', integer(32)],
  ['int(11)', integer(32)],
  ['int unsigned', integer(32, true)],
  ['int(10) unsigned zerofill', integer(32, true)],
  ['unsigned', integer(64, true)],
  ['tinyint', integer(8)],
  ['tinyint(1)', integer(8)],
  ['tinyint unsigned', integer(8, true)],
  ['utinyint', integer(8, true)],
  ['smallserial', integer(16)],
  ['int8', integer(64)],
  ['BIGINT', integer(64)],
  ['ubigint', integer(64, true)],
  ['serial', integer(32)],
  ['year', integer(16, true)],
  ['hugeint', { name: 'decimal', precision: 38, scale: 0 }],
  ['decimal', { name: 'decimal' }],
  ['decimal(12,2)', { name: 'decimal', precision: 12, scale: 2 }],
  ['numeric(12)', { name: 'decimal', precision: 12, scale: 0 }],
  ['decimal( 12 , 2 ) unsigned', { name: 'decimal', precision: 12, scale: 2 }],
  ['money', { name: 'decimal', precision: 19, scale: 4 }],
  ['smallmoney', { name: 'decimal', precision: 10, scale: 4 }],
  ['float', { name: 'float', bits: 64 }],
  ['float(24)', { name: 'float', bits: 32 }],
  ['float(53)', { name: 'float', bits: 64 }],
  ['float(7,4)', { name: 'float', bits: 64 }],
  ['real', { name: 'float', bits: 32 }],
  ['double precision', { name: 'float', bits: 64 }],
  ['DOUBLE', { name: 'float', bits: 64 }],
  ['bit', { name: 'bit' }],
  ['bit(1)', { name: 'bit' }],
  ['bool', { name: 'bit' }],
  ['date', { name: 'date' }],
  ['datetime', { name: 'datetime' }],
  ['datetime2(7)', { name: 'datetime' }],
  ['smalldatetime', { name: 'datetime' }],
  ['timestamp(3) without time zone', { name: 'datetime' }],
  ['timestamp', { name: 'datetime' }],
  ['timestamp with time zone', { name: 'datetimeoffset' }],
  ['timestamp(6) with time zone', { name: 'datetimeoffset' }],
  ['timestamptz', { name: 'datetimeoffset' }],
  ['datetimeoffset(7)', { name: 'datetimeoffset' }],
  ['time(3)', { name: 'time' }],
  ['uniqueidentifier', { name: 'uuid' }],
  ['jsonb', { name: 'json' }],
  ['bytea', { name: 'binary' }],
  ['varbinary(max)', { name: 'binary' }],
  ['varbinary(16)', { name: 'binary', length: 16 }],
  ['image', { name: 'binary' }],
  ['rowversion', { name: 'binary', length: 8 }],
])('reads %j', (spelling, expected) => {
  expect(parseSqlType(spelling)).toEqual(expected);
});

test.each([
  '',
  'banana',
  'nvarchar(0)',
  'nvarchar(50',
  'nvarchar(50,2)',
  'nvarchar()',
  'nvarchar(-1)',
  'nvarchar(99999999999)',
  'int; DROP TABLE t',
  'int(max)',
  'decimal(0)',
  'decimal(5,6)',
  'decimal(max)',
  'float(54)',
  'float(max)',
  'float(max,2)',
  'bit(8)',
  'bool unsigned',
  'text unsigned',
  'date(3)',
  'datetime2(10)',
  'uuid(16)',
  'int[]',
  'interval',
  'constructor',
  'toString',
  'timestampwith time zone',
])('does not know %j', (spelling) => {
  expect(parseSqlType(spelling)).toBeNull();
});

test('puts dates with and without time and offset into one family, and numbers into another', () => {
  const families = [
    'date',
    'datetime',
    'timestamptz',
    'int',
    'decimal',
    'real',
    'text',
    'bit',
    'time',
    'uuid',
    'json',
    'blob',
  ].map((spelling) => {
    const type = parseSqlType(spelling);
    return type === null ? null : familyOf(type);
  });
  expect(families).toEqual([
    'date',
    'date',
    'date',
    'number',
    'number',
    'number',
    'text',
    'bit',
    'time',
    'uuid',
    'json',
    'binary',
  ]);
});

test('parses a long spelling in linear time', () => {
  const before = mainThreadMs(process.pid);
  parseSqlType(`int${' a'.repeat(20_000)}!`);
  parseSqlType(`int${' '.repeat(60_000)}(`);
  expect(mainThreadMs(process.pid) - before).toBeLessThan(5_000);
});
