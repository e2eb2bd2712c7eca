import { expect, test } from 'vitest';
import { changeText, describeFigure, figureText, periodText } from './figure-texts.ts';

test('writes values, changes and periods briefly', () => {
  expect([1590477.67, 8552, 3.633, 0, null].map((value) => figureText(value, {}))).toEqual([
    '1.59M',
    '8.55K',
    '3.63',
    '0',
    'none',
  ]);
  expect(figureText(654_321, { format: { kind: 'currency', currency: 'EUR' } })).toBe('€654K');
  expect(figureText(0.2512, { format: { kind: 'percent' } })).toBe('25.1%');
  expect([0.0981, -0.2, 0].map(changeText)).toEqual(['+9.8%', '-20%', '0%']);
  expect(periodText('2025-12-01', 'month')).toBe('Dec 2025');
  expect(periodText('2025-10-01', 'quarter')).toBe('Q4 2025');
  expect(periodText('2025-12-22', 'week')).toBe('week of Dec 22, 2025');
  expect(periodText('2025-12-01T14:00:00', 'hour')).toBe('Dec 1, 14:00');
});

test('describes a figure in words', () => {
  const figure = {
    ...{ id: '1', queryName: 'QD_Sales', name: 'Sales', at: '2026-01-02T00:00:00.000Z', aggregate: 'sum' as const, labels: 2 },
    ...{ labelColumn: 'Month', dataColumn: 'Revenue', unit: 'month' as const, change: -0.5 },
    points: [
      { label: '2025-11-01', value: 20 },
      { label: '2025-12-01', value: 10 },
    ],
    last: { label: '2025-12-01', value: 10 },
  };
  expect(describeFigure(figure)).toBe('Sales: Revenue by month, 10 in Dec 2025, -50% since the month before');
  const bars = { ...figure, labelColumn: 'Region', unit: null, last: null, change: null };
  expect(describeFigure(bars)).toBe('Sales: Revenue by Region: 2025-11-01 20, 2025-12-01 10');
});
