import { expect, test } from 'vitest';
import { urlOfValues, valuesFromUrl } from './url-values.ts';

const parameters = [
  { name: '@Region', dataType: 'nvarchar', required: false },
  { name: '@Year', dataType: 'int', required: true, default: '2025' },
  { name: '@Secret', dataType: 'nvarchar', required: false, masked: true },
];

test('reads values from the URL, and defaults for the rest', () => {
  expect(valuesFromUrl(parameters, { '@Region': 'North', '@Other': 'x', query: 'y' })).toEqual({
    '@Region': 'North',
    '@Year': '2025',
  });
});

test('writes no masked values to the URL, and removes cleared ones', () => {
  expect(urlOfValues(parameters, { '@Year': '2024', '@Secret': 's' })).toEqual({
    '@Region': undefined,
    '@Year': '2024',
    '@Secret': undefined,
  });
});
