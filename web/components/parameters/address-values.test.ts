import { expect, test } from 'vitest';
import { addressOfValues, valuesOfAddress } from './address-values.ts';

const parameters = [
  { name: '@Region', dataType: 'nvarchar', required: false },
  { name: '@Year', dataType: 'int', required: true, default: '2025' },
  { name: '@Secret', dataType: 'nvarchar', required: false, masked: true },
];

test('an address names values, and the usual ones stand for the rest', () => {
  expect(valuesOfAddress(parameters, { '@Region': 'North', '@Other': 'x', query: 'y' })).toEqual({
    '@Region': 'North',
    '@Year': '2025',
  });
});

test('a masked value is kept out of the address, and one that was cleared leaves it', () => {
  expect(addressOfValues(parameters, { '@Year': '2024', '@Secret': 's' })).toEqual({
    '@Region': undefined,
    '@Year': '2024',
    '@Secret': undefined,
  });
});
