import { Text } from '@codemirror/state';
import { expect, test } from 'vitest';
import { diagnosticOf, sqlErrorText } from './sql-error.ts';

const doc = Text.of(['select', '  nme,', 'from orders', '']);
const marked = (line?: number, column?: number) => {
  const { from, to } = diagnosticOf({ message: 'wrong', line, column }, doc);
  return doc.sliceString(from, to);
};

test('marks the word at the error position', () => {
  expect(marked(2, 3)).toBe('nme');
  expect(marked(3, 6)).toBe('orders');
});

test('marks the whole line if the column is unknown', () => {
  expect(marked(3)).toBe('from orders');
});

test('stays within the text for an invalid position', () => {
  expect(marked(2, 99)).toBe(',');
  expect(marked(99, 1)).toBe('');
  expect(marked(0, 0)).toBe('select');
});

test('includes the position as far as it is known', () => {
  expect(sqlErrorText({ message: 'no column nme', line: 2, column: 3 })).toBe('Line 2, column 3: no column nme');
  expect(sqlErrorText({ message: 'no column nme', line: 2 })).toBe('Line 2: no column nme');
  expect(sqlErrorText({ message: 'too long' })).toBe('too long');
});
