import { expect, test } from 'vitest';
import { configOf, initialForm, withColumns } from './chart-form.ts';

const columns = {
  columns: [
    { name: 'Region', class: 'categorical' as const },
    { name: 'Orders', class: 'numeric' as const },
    { name: 'Revenue', class: 'numeric' as const },
  ],
  label: 'Region',
  data: 'Revenue',
};

test('a new chart is a bar chart of the columns that fit best', () => {
  expect(withColumns(initialForm('Sales'), columns)).toMatchObject({
    chartType: 'bar',
    labelColumn: 'Region',
    dataColumn: 'Revenue',
    title: 'Sales',
    chartHeight: 400,
    animationSpeed: 800,
  });
});

test('columns that were chosen stay chosen as long as the result has them', () => {
  const form = { ...initialForm(''), labelColumn: 'Gone', dataColumn: 'Orders' };
  expect(withColumns(form, columns)).toMatchObject({ labelColumn: 'Region', dataColumn: 'Orders' });
});

test('a number that is missing or out of range is told at its field', () => {
  const form = { ...withColumns(initialForm(''), columns), chartHeight: '', animationSpeed: 20_000, barWidth: 0.5 };
  expect(configOf(form)).toEqual({
    errors: {
      chartHeight: 'A whole number from 100 to 4000.',
      animationSpeed: 'A whole number from 0 to 10000.',
      barWidth: 'A whole number from 1 to 100.',
    },
  });
});

test('a result without columns gives no chart', () => {
  expect(configOf(initialForm(''))).toHaveProperty('errors.labelColumn');
});
