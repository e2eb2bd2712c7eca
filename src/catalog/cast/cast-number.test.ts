import { expect, test } from 'vitest';
import { castDecimal, castFloat, castInteger } from './cast-number.ts';

const int = { name: 'integer', bits: 32, unsigned: false } as const;
const tinyint = { name: 'integer', bits: 8, unsigned: false } as const;
const bigint = { name: 'integer', bits: 64, unsigned: false } as const;
const ubigint = { name: 'integer', bits: 64, unsigned: true } as const;

test.each([
  ['5', int, '5'],
  ['+007', int, '7'],
  ['-0', int, '0'],
  ['-12.00', int, '-12'],
  ['2147483647', int, '2147483647'],
  ['-2147483648', int, '-2147483648'],
  ['9223372036854775807', bigint, '9223372036854775807'],
  ['18446744073709551615', ubigint, '18446744073709551615'],
  ['-128', tinyint, '-128'],
  ['255', tinyint, '255'],
] as const)('takes the whole number %s', (text, type, value) => {
  expect(castInteger(text, type)).toEqual({ ok: true, value });
});

test.each([
  ['abc', int, '"abc" is not a whole number.'],
  ['1.5', int, '"1.5" is not a whole number.'],
  ['1e3', int, '"1e3" is not a whole number.'],
  ['0x10', int, '"0x10" is not a whole number.'],
  ['1,000', int, '"1,000" is not a whole number.'],
  ['٣', int, '"٣" is not a whole number.'],
  ['-', int, '"-" is not a whole number.'],
  ['NaN', int, '"NaN" is not a whole number.'],
  ['2147483648', int, '"2147483648" is not between -2147483648 and 2147483647.'],
  ['256', tinyint, '"256" is not between -128 and 255.'],
  ['-1', ubigint, '"-1" is not between 0 and 18446744073709551615.'],
] as const)('refuses %s as a whole number', (text, type, message) => {
  expect(castInteger(text, type)).toEqual({ ok: false, message });
});

test('rejects a number with thousands of digits without quoting all of it', () => {
  const cast = castInteger('9'.repeat(30_000), bigint);
  expect(cast).toEqual({
    ok: false,
    message: `"${'9'.repeat(50)}…" is not between -9223372036854775808 and 9223372036854775807.`,
  });
});

const anyDecimal = { name: 'decimal' } as const;
const decimal52 = { name: 'decimal', precision: 5, scale: 2 } as const;

test.each([
  ['12.5', decimal52, '12.5'],
  ['12.5000', decimal52, '12.5'],
  ['-999.99', decimal52, '-999.99'],
  ['000999.99', decimal52, '999.99'],
  ['.5', decimal52, '0.5'],
  ['5.', decimal52, '5'],
  ['-0.00', decimal52, '0'],
  ['1.25e2', decimal52, '125'],
  ['125E-2', decimal52, '1.25'],
  ['1e-7', anyDecimal, '0.0000001'],
  ['1e+21', anyDecimal, '1000000000000000000000'],
  ['0.12345678901234567890123456789012345678', anyDecimal, '0.12345678901234567890123456789012345678'],
] as const)('takes the decimal %s', (text, type, value) => {
  expect(castDecimal(text, type)).toEqual({ ok: true, value });
});

test.each([
  ['1.234', decimal52, '"1.234" has more than 2 decimals.'],
  ['1e-3', decimal52, '"1e-3" has more than 2 decimals.'],
  ['1000', decimal52, '"1000" has more than 3 digits before the point.'],
  ['1e3', decimal52, '"1e3" has more than 3 digits before the point.'],
  ['.', anyDecimal, '"." is not a number. Write digits with a point, as in -12.5.'],
  ['Infinity', anyDecimal, '"Infinity" is not a number. Write digits with a point, as in -12.5.'],
  ['1e999999999', anyDecimal, '"1e999999999" is not a number. Write digits with a point, as in -12.5.'],
  ['1 2', anyDecimal, '"1 2" is not a number. Write digits with a point, as in -12.5.'],
] as const)('refuses %s as a decimal', (text, type, message) => {
  expect(castDecimal(text, type)).toEqual({ ok: false, message });
});

const float32 = { name: 'float', bits: 32 } as const;
const float64 = { name: 'float', bits: 64 } as const;

test.each([
  ['0.1', float64, '0.1'],
  ['1.50', float64, '1.5'],
  ['1e21', float64, '1e+21'],
  ['-0.0', float64, '0'],
  ['0e5', float64, '0'],
  ['0.1', float32, '0.1'],
  ['0.10000000149011612', float32, '0.1'],
  ['16777217', float32, '16777216'],
  ['3.4028235e38', float32, '3.4028235e+38'],
] as const)('takes the float %s', (text, type, value) => {
  expect(castFloat(text, type)).toEqual({ ok: true, value });
});

test.each([
  ['NaN', float64],
  ['-Infinity', float64],
  ['1e309', float64],
  ['1e-400', float64],
  ['1e39', float32],
  ['1e-50', float32],
  ['0x1p3', float64],
  ['e5', float64],
] as const)('refuses %s as a float', (text, type) => {
  expect(castFloat(text, type).ok).toBe(false);
});
