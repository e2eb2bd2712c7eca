import { expect, test } from 'vitest';
import { readRows } from './read-rows.ts';

test('keeps a number as text if JavaScript would round it', () => {
  expect(readRows('{"a": 12345678901234.123456, "b": 0.1, "c": 100.00, "d": 1e21}')).toEqual({
    a: '12345678901234.123456',
    b: 0.1,
    c: 100,
    d: 1e21,
  });
});

test('ignores trailing zeros', () => {
  expect(readRows('[12.5000000000000000, 1000000000000000000]')).toEqual([12.5, 1e18]);
});
