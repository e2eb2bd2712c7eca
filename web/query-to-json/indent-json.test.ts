import { expect, test } from 'vitest';
import { indentJson } from './indent-json.ts';

test('indents like JSON.stringify', () => {
  const value = { a: [1, { b: null }, [], {}], 'c "d" , {': 'e: [\\', f: true, g: {} };
  expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  expect(indentJson(JSON.stringify(value, null, 4))).toBe(JSON.stringify(value, null, 2));
});

test('keeps digits that JavaScript would drop', () => {
  expect(indentJson('{"a":100.00,"b":12345678901234567890.5}')).toBe('{\n  "a": 100.00,\n  "b": 12345678901234567890.5\n}');
});
