import { expect, test } from 'vitest';
import type { SqlValue } from '../../core/sql-value.ts';
import { ByteWriter } from '../../results/byte-writer.ts';
import {
  binaryCell,
  booleanCell,
  decimalCell,
  floatCell,
  integerCell,
  jsonCell,
  plainCells,
  type TextCell,
  textCell,
  ValueBatch,
} from './text-cells.ts';

const { date: dateCell, time: timeCell, timestamp: timestampCell, timestamptz: timestamptzCell } = plainCells;
const hex = binaryCell((text) => Buffer.from(text, 'hex'));

function shown(cell: TextCell, text: string | null): { json: string; text: string; value: SqlValue } {
  const batch = new ValueBatch([[text]], [cell]);
  const out = new ByteWriter(1);
  batch.writeJson(0, 0, out);
  const json = out.take().toString();
  batch.writeText(0, 0, out);
  return { json, text: out.take().toString(), value: batch.value(0, 0) };
}

test.each<[string, TextCell, string, string, SqlValue, string?]>([
  ['an integer', integerCell, '-12', '-12', -12],
  ['the largest safe integer', integerCell, '9007199254740991', '9007199254740991', 9007199254740991],
  ['the smallest safe integer', integerCell, '-9007199254740991', '-9007199254740991', -9007199254740991],
  ['an integer beyond', integerCell, '9007199254740992', '"9007199254740992"', 9007199254740992n],
  ['an integer below', integerCell, '-9007199254740992', '"-9007199254740992"', -9007199254740992n],
  ['a long integer', integerCell, '12345678901234567', '"12345678901234567"', 12345678901234567n],
  ['a decimal with its zeros', decimalCell, '-0.50', '-0.50', '-0.50'],
  ['a whole decimal', decimalCell, '12', '12', 12],
  ['a decimal with many decimals', decimalCell, '1.01234567890123456789', '1.01234567890123456789', '1.01234567890123456789'],
  ['the largest decimal number', decimalCell, '9007199254740991.99', '9007199254740991.99', '9007199254740991.99'],
  ['a decimal beyond', decimalCell, '-9007199254740992.0', '"-9007199254740992.0"', '-9007199254740992.0'],
  ['no decimal number', decimalCell, 'NaN', 'null', null, ''],
  ['an infinite decimal', decimalCell, '-Infinity', 'null', null, ''],
  ['a float', floatCell, '0.1', '0.1', 0.1],
  ['a negative zero', floatCell, '-0', '-0', -0],
  ['a float with an exponent', floatCell, '1e-05', '0.00001', 0.00001],
  ['a large float', floatCell, '1E300', '1e+300', 1e300],
  ['no number', floatCell, 'NaN', 'null', null, ''],
  ['infinity', floatCell, '-Infinity', 'null', null, ''],
  ['yes', booleanCell('t'), 't', 'true', true],
  ['no', booleanCell('1'), '0', 'false', false],
  ['bytes', hex, '00ff6162', '"AP9hYg=="', new Uint8Array([0, 255, 97, 98])],
  ['a document', jsonCell, '{"a":\n\t1}', '{"a":  1}', '{"a":\n\t1}', '{"a":\n\t1}'],
])('%s', (_name, cell, wire, json, value, text = json.replaceAll('"', '')) => {
  expect(shown(cell, wire)).toEqual({ json, text, value });
});

test.each<[TextCell, string, string]>([
  [dateCell, '2026-01-31', '2026-01-31'],
  [dateCell, '12026-01-31', '+012026-01-31'],
  [dateCell, '0044-03-15 BC', '-000043-03-15'],
  [dateCell, '0001-12-31 BC', '0000-12-31'],
  [dateCell, '-infinity', '-infinity'],
  [timeCell, '09:30:00', '09:30:00'],
  [timeCell, '09:30:00.500', '09:30:00.5'],
  [timeCell, '09:30:00.000', '09:30:00'],
  [timeCell, '09:30:10.0+02', '09:30:10+02'],
  [timestampCell, '2026-01-31 09:30:00', '2026-01-31T09:30:00'],
  [timestampCell, '2026-01-31T09:30:00.120000', '2026-01-31T09:30:00.12'],
  [timestampCell, '12026-01-31 09:30:00.000000', '+012026-01-31T09:30:00'],
  [timestampCell, '0044-03-15 10:00:00.5 BC', '-000043-03-15T10:00:00.5'],
  [timestampCell, 'infinity', 'infinity'],
  [timestamptzCell, '2026-01-31 09:30:00.5+00', '2026-01-31T09:30:00.5Z'],
  [timestamptzCell, '2026-01-31 09:30:00', '2026-01-31T09:30:00Z'],
  [timestamptzCell, '2026-01-31T09:30:00.1234567Z', '2026-01-31T09:30:00.1234567Z'],
  [timestamptzCell, '2026-01-01 01:30:00.1234567+02:00', '2025-12-31T23:30:00.1234567Z'],
  [timestamptzCell, '2026-01-31 20:00:00-0530', '2026-02-01T01:30:00Z'],
  [timestamptzCell, '1890-01-01 00:19:32+00:19:32', '1890-01-01T00:00:00Z'],
  [timestamptzCell, '0044-03-15 10:00:00+00 BC', '-000043-03-15T10:00:00Z'],
  [timestamptzCell, '0044-03-15 10:00:00+01 BC', '-000043-03-15T09:00:00Z'],
  [timestamptzCell, '12026-01-31 09:30:00+00', '+012026-01-31T09:30:00Z'],
  [timestamptzCell, '-infinity', '-infinity'],
])('%# %s becomes %s', (cell, wire, expected) => {
  expect(shown(cell, wire)).toEqual({ json: `"${expected}"`, text: expected, value: expected });
});

test('a string is escaped in JSON only', () => {
  const hostile = 'quote " backslash \\ \n \u0001 😀 \u2028';
  const { json, text, value } = shown(textCell, hostile);
  expect(JSON.parse(json)).toBe(hostile);
  expect(json).not.toContain('\n');
  expect(text).toBe(hostile);
  expect(value).toBe(hostile);
});

test('NULL differs from every text', () => {
  for (const cell of [textCell, integerCell, jsonCell, hex]) {
    expect(shown(cell, null)).toEqual({ json: 'null', text: '', value: null });
  }
  expect(shown(textCell, '').json).toBe('""');
});
