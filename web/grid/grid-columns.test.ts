import { expect, test } from 'vitest';
import { fittingWidth, gridColumns } from './grid-columns.ts';

const known = [
  { label: 'Region', kind: 'text', type: 'VARCHAR' },
  { label: '2024', kind: 'integer', type: 'BIGINT' },
];

test('columns stand in the order of the query, also where a name looks like a number', () => {
  expect(gridColumns(known, [{ Region: 'North', '2024': 1 }]).map(({ label }) => label)).toEqual(['Region', '2024']);
});

test('a result without rows still has its columns', () => {
  expect(gridColumns(known, [])).toHaveLength(2);
});

test('columns that nobody announced follow, with the kind that their values show', () => {
  expect(gridColumns(known, [{ Region: 'North', Share: 0.5, Open: true }]).slice(1)).toEqual([
    { label: 'Share', kind: 'float', type: '' },
    { label: 'Open', kind: 'boolean', type: '' },
  ]);
});

test('a width shows the longest of the first rows, within bounds', () => {
  const [column] = known;
  if (column === undefined) throw new Error('no column');
  expect(fittingWidth(column, [{ Region: 'x'.repeat(20) }])).toBeGreaterThan(fittingWidth(column, [{ Region: 'x' }]));
  expect(fittingWidth(column, [{ Region: 'x'.repeat(2000) }])).toBe(360);
});
