import { expect, test } from 'vitest';
import { chartConfigDefaults } from '../../src/core/chart-config.ts';
import { configOf, createForm, positionColumn, withColumns } from './chart-form.ts';

const columns = {
  columns: [
    { name: 'Region', class: 'categorical' as const },
    { name: 'Orders', class: 'numeric' as const },
    { name: 'Revenue', class: 'numeric' as const },
  ],
  settings: { ...chartConfigDefaults, chartType: 'line', labelColumn: 'Region', dataColumn: 'Revenue' } as const,
};

test('starts with the chart of the query or the suggested one', () => {
  expect(withColumns(createForm('Sales'), columns)).toMatchObject({
    chartType: 'line',
    labelColumn: 'Region',
    dataColumn: 'Revenue',
    title: 'Sales',
    chartHeight: 400,
    animationSpeed: 800,
  });
});

test('keeps chosen columns while the result has them', () => {
  const form = { ...createForm(''), labelColumn: 'Gone', dataColumn: 'Orders' };
  expect(withColumns(form, columns)).toMatchObject({ labelColumn: 'Region', dataColumn: 'Orders' });
});

test('reports a missing or out-of-range number at its field', () => {
  const form = { ...withColumns(createForm(''), columns), chartHeight: '', animationSpeed: 20_000, barWidth: 0.5 };
  expect(configOf(form)).toEqual({
    errors: {
      chartHeight: 'Enter a whole number from 100 to 4000.',
      animationSpeed: 'Enter a whole number from 0 to 10000.',
      barWidth: 'Enter a whole number from 1 to 100.',
    },
  });
});

test('refuses a chart without columns', () => {
  expect(configOf(createForm(''))).toHaveProperty('errors.labelColumn');
});

test('finds a column with positions for a scatter chart whose label has none', () => {
  const form = { ...createForm(''), dataColumn: 'Revenue' };
  const found = (labelColumn: string, of = columns.columns) => positionColumn({ ...form, labelColumn }, of);
  expect([found('Region'), found('Orders'), found('Region', columns.columns.slice(0, 1))]).toEqual(['Orders', null, null]);
});
