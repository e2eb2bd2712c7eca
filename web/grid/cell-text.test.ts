import { expect, test } from 'vitest';
import { cellOf, toCopyText, toCopyRows } from './cell-text.ts';

const column = (kind: string, type = '') => ({ label: 'c', kind, type });

test('distinguishes NULL from an empty text and from the text NULL', () => {
  expect(cellOf(null, column('text'))).toEqual({ text: 'NULL', nature: 'null' });
  expect(cellOf('', column('text'))).toEqual({ text: '', nature: 'text' });
  expect(cellOf('NULL', column('text'))).toEqual({ text: 'NULL', nature: 'text' });
});

test('pads a decimal to the scale of its type', () => {
  expect(cellOf(100, column('decimal', 'DECIMAL(12,2)')).text).toBe('100.00');
  expect(cellOf(-0.5, column('decimal', 'numeric(10, 3)')).text).toBe('-0.500');
  expect(cellOf('12345678901234567890.1', column('decimal', 'DECIMAL(30,4)')).text).toBe('12345678901234567890.1000');
  expect(cellOf(100.25, column('decimal', 'numeric')).text).toBe('100.25');
});

test('treats a whole number in a string as a number', () => {
  expect(cellOf('9007199254740993', column('integer'))).toEqual({ text: '9007199254740993', nature: 'number' });
});

test('shows timestamps without the T', () => {
  expect(cellOf('2026-01-31T09:30:00.123', column('timestamp')).text).toBe('2026-01-31 09:30:00.123');
  expect(cellOf('2026-01-31T09:30:00Z', column('timestamptz')).text).toBe('2026-01-31 09:30:00Z');
  expect(cellOf('Tea', column('text')).text).toBe('Tea');
});

test('copies NULL as empty, one cell as it is, and several in a format for spreadsheets', () => {
  expect(toCopyText(null, column('text'))).toBe('');
  const columns = ['a', 'b', 'c'].map((label) => ({ label, kind: 'text', type: '' }));
  const rows = [{ a: 'say "hi"\tnow', b: null, c: 'plain' }];
  expect(toCopyRows(rows, columns, false)).toBe('"say ""hi""\tnow"\t\tplain');
  expect(toCopyRows(rows, columns.slice(0, 1), false)).toBe('say "hi"\tnow');
  expect(toCopyRows([...rows, { c: 1 }], columns.slice(2), true)).toBe('c\nplain\n1');
});
