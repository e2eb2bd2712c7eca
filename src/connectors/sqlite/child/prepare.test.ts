import { expect, test } from 'vitest';
import { inputValue } from './prepare.ts';

test.each([
  ['12', 12n],
  ['12.5', 12.5],
  ['-0.123456789012345', -0.123456789012345],
  ['9223372036854775807', 9223372036854775807n],
])('a decimal %s is bound with every digit', (value, bound) => {
  expect(inputValue({ name: '@Price', type: { name: 'decimal' }, value })).toBe(bound);
});

test.each(['0.1234567890123456789', '12345678901234567.89', '18446744073709551615'])('%s is refused, not rounded', (value) => {
  expect(() => inputValue({ name: '@Price', type: { name: 'decimal' }, value })).toThrow(/digits of the value of @Price/);
});
