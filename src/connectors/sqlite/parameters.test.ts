import { expect, test } from 'vitest';
import { wireValue } from './parameters.ts';

test.each([
  ['12', ['integer', '12']],
  ['12.5', ['real', '12.5']],
  ['-0.123456789012345', ['real', '-0.123456789012345']],
  ['9223372036854775807', ['integer', '9223372036854775807']],
])('a decimal %s is bound with every digit', (value, wire) => {
  expect(wireValue({ name: '@Price', type: { name: 'decimal' }, value })).toEqual(wire);
});

test.each(['0.1234567890123456789', '12345678901234567.89', '18446744073709551615'])('%s is refused, not rounded', (value) => {
  expect(() => wireValue({ name: '@Price', type: { name: 'decimal' }, value })).toThrow(/digits of the value of @Price/);
});
