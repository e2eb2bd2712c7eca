import { expect, test } from 'vitest';
import type { SqlType } from '../../core/sql-value.ts';
import { parseSqlType } from '../sql-type.ts';
import { castTo, castValue } from './cast.ts';

function type(spelling: string): SqlType {
  const parsed = parseSqlType(spelling);
  if (parsed === null) throw new Error(`no type: ${spelling}`);
  return parsed;
}

test.each([
  ['', 'nvarchar', ''],
  [' as sent ', 'nvarchar(9)', ' as sent '],
  ['👍👍', 'nvarchar(2)', '👍👍'],
  [' 5 ', 'int', '5'],
  ['12.50', 'decimal(12,2)', '12.5'],
  ['1e1', 'float', '10'],
  ['TRUE', 'bit', 'true'],
  ['1', 'bit', 'true'],
  ['0', 'bool', 'false'],
  ['False', 'bit', 'false'],
  ['2026-01-31', 'date', '2026-01-31'],
  ['09:30', 'time', '09:30:00'],
  ['{123E4567-E89B-12D3-A456-426614174000}', 'uniqueidentifier', '123e4567-e89b-12d3-a456-426614174000'],
  ['123e4567e89b12d3a456426614174000', 'uuid', '123e4567-e89b-12d3-a456-426614174000'],
  [' {"b": 1, "a": 1.0} ', 'json', '{"b": 1, "a": 1.0}'],
  ['"\\ud83d\\ude00"', 'json', '"\\ud83d\\ude00"'],
  ['"\\\\ud83d"', 'json', '"\\\\ud83d"'],
  ['AAEC/w==', 'varbinary', 'AAEC/w=='],
  ['AAEC/w', 'varbinary', 'AAEC/w=='],
  ['0x000102FF', 'varbinary(4)', 'AAEC/w=='],
  ['0x', 'bytea', ''],
])('casts %j to %s', (text, spelling, value) => {
  expect(castValue(text, type(spelling))).toEqual({ ok: true, value });
});

test.each([
  ['', 'int', 'An empty value is not a number. Send null for NULL.'],
  ['  ', 'date', 'An empty value is not a date. Send null for NULL.'],
  ['abcd', 'nvarchar(3)', 'The text has 4 characters, 3 are allowed.'],
  ['a\0b', 'nvarchar', 'The value contains a NUL character, which databases cannot store in text. Remove it.'],
  ['a\ud800', 'nvarchar', 'The value is not valid Unicode (a lone surrogate). Correct its encoding.'],
  ['yes', 'bit', '"yes" is not a bit. Send 1, 0, true or false.'],
  ['2', 'bit', '"2" is not a bit. Send 1, 0, true or false.'],
  [
    '{123e4567-e89b-12d3-a456-426614174000',
    'uuid',
    '"{123e4567-e89b-12d3-a456-426614174000" is not a uuid. Write it as 123e4567-e89b-12d3-a456-426614174000.',
  ],
  [
    '123e4567-e89b12d3a456426614174000',
    'uuid',
    '"123e4567-e89b12d3a456426614174000" is not a uuid. Write it as 123e4567-e89b-12d3-a456-426614174000.',
  ],
  ['"\\ud83d"', 'json', 'The value is not valid Unicode (a lone surrogate). Correct its encoding.'],
  ['{"\\uDE00\\ud83d": 1}', 'json', 'The value is not valid Unicode (a lone surrogate). Correct its encoding.'],
  ['"\\ud83d\\n\\ude00"', 'json', 'The value is not valid Unicode (a lone surrogate). Correct its encoding.'],
  ['abc', 'json', '"abc" is not valid JSON. A text needs its double quotes.'],
  ['a b!', 'binary', '"a b!" is not base64. Send base64, or hexadecimal digits after 0x.'],
  ['AAEC/x==', 'binary', '"AAEC/x==" is not base64. Send base64, or hexadecimal digits after 0x.'],
  ['0x000102', 'binary(2)', 'The value has 3 bytes, 2 are allowed.'],
  ['a\nb', 'int', '"a\uFFFDb" is not a whole number.'],
])('refuses %j as %s', (text, spelling, message) => {
  expect(castValue(text, type(spelling))).toEqual({ ok: false, message });
});

test.each([
  ['5', 'int', 'decimal(3,1)', '5'],
  ['1.0', 'decimal', 'int', '1'],
  ['1e3', 'float', 'int', '1000'],
  ['0.1', 'real', 'float', '0.1'],
  ['2026-01-31', 'date', 'datetime', '2026-01-31T00:00:00'],
  ['2026-01-31', 'date', 'datetimeoffset', '2026-01-31T00:00:00Z'],
  ['2026-01-31T02:00:00+02:00', 'datetimeoffset', 'date', '2026-01-31'],
  ['2026-01-31T09:30:00+02:00', 'datetimeoffset', 'datetime', '2026-01-31T07:30:00'],
  ['abc', 'nvarchar(50)', 'varchar(3)', 'abc'],
  ['0xd310', 'varbinary', 'binary(2)', '0xA='],
  ['0x', 'varbinary', 'binary(2)', ''],
])('casts %s sent as %s to the declared %s', (text, sent, declared, value) => {
  expect(castTo(text, type(sent), type(declared))).toEqual({ ok: true, value });
});

test.each([
  ['1.5', 'decimal', 'int'],
  ['1.5', 'int', 'decimal'],
  ['300', 'int', 'tinyint'],
  ['12.345', 'float', 'decimal(12,2)'],
  ['2026-01-31T09:30:00', 'datetime', 'date'],
  ['abcd', 'nvarchar(50)', 'nvarchar(3)'],
  ['abcd', 'nvarchar(3)', 'nvarchar(50)'],
  ['0x010203', 'varbinary', 'binary(2)'],
])('refuses %s sent as %s where %s is declared', (text, sent, declared) => {
  expect(castTo(text, type(sent), type(declared)).ok).toBe(false);
});

test('does not decode binary twice if its canonical base64 begins with 0x', () => {
  const bytes = Buffer.from('0x12', 'base64');
  expect(castTo(`0x${bytes.toString('hex')}`, type('varbinary'), type('varbinary'))).toEqual({ ok: true, value: '0x12' });
});
