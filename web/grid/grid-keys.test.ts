import { expect, test } from 'vitest';
import { positionAfter, rangeOf } from './grid-keys.ts';

const extent = { rows: 100, columns: 4, rowsOnScreen: 10 };
const press = (key: string, ctrlKey = false) => ({ key, ctrlKey, metaKey: false });

test.each([
  ['ArrowDown', false, { row: 6, column: 2 }],
  ['ArrowUp', false, { row: 4, column: 2 }],
  ['ArrowRight', false, { row: 5, column: 3 }],
  ['ArrowRight', true, { row: 5, column: 3 }],
  ['ArrowLeft', true, { row: 5, column: 0 }],
  ['ArrowDown', true, { row: 99, column: 2 }],
  ['Home', false, { row: 5, column: 0 }],
  ['Home', true, { row: 0, column: 0 }],
  ['End', true, { row: 99, column: 3 }],
  ['PageDown', false, { row: 15, column: 2 }],
  ['PageUp', false, { row: 0, column: 2 }],
])('%s (Ctrl: %s) moves to %o', (key, ctrl, position) => {
  expect(positionAfter({ row: 5, column: 2 }, press(key, ctrl), extent)).toEqual(position);
});

test('reaches the header above the first row and the row numbers, and stops at the edges', () => {
  expect(positionAfter({ row: 0, column: 0 }, press('ArrowUp'), extent)).toEqual({ row: -1, column: 0 });
  expect(positionAfter({ row: -1, column: 0 }, press('ArrowUp'), extent)).toEqual({ row: -1, column: 0 });
  expect(positionAfter({ row: 3, column: 0 }, press('ArrowLeft'), extent)).toEqual({ row: 3, column: -1 });
  expect(positionAfter({ row: 3, column: -1 }, press('ArrowLeft'), extent)).toEqual({ row: 3, column: -1 });
  expect(positionAfter({ row: 99, column: 3 }, press('ArrowRight'), extent)).toEqual({ row: 99, column: 3 });
});

test('selects the cells between two corners, one cell, or a whole row by its number', () => {
  expect(rangeOf({ row: 5, column: 3 }, { row: 2, column: 1 }, 4)).toMatchObject({ top: 2, bottom: 5, left: 1, right: 3 });
  expect(rangeOf(null, { row: 2, column: 1 }, 4)).toMatchObject({ top: 2, bottom: 2, left: 1, right: 1, isRow: false });
  expect(rangeOf(null, { row: 2, column: -1 }, 4)).toMatchObject({ top: 2, bottom: 2, left: 0, right: 3, isRow: true });
});

test('ignores other keys', () => {
  expect(positionAfter({ row: 0, column: 0 }, press('a'), extent)).toBeNull();
});
