import { expect, test } from 'vitest';
import { bytesText } from './bytes-text.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1.0 kB'],
  [23_456_789, '23 MB'],
  [5e15, '5000 TB'],
])('%d is %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
