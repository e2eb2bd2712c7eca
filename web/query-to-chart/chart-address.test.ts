import { expect, test } from 'vitest';
import { addressOfChart, formOfAddress, namesChart, withoutChart } from './chart-address.ts';
import { configOf, initialForm } from './chart-form.ts';

const form = { ...initialForm('Sales'), labelColumn: 'Region', dataColumn: 'Net revenue' };
const address = (changes = {}) => {
  const made = configOf({ ...form, ...changes });
  if ('errors' in made) throw new Error(JSON.stringify(made.errors));
  return addressOfChart(made.config, 'Sales');
};
const given = (words: object) => Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined));

test('an address says what differs from the usual, and always the type', () => {
  expect(given(address())).toEqual({ chartType: 'bar', labelColumn: 'Region', dataColumn: 'Net revenue' });
  expect(given(address({ chartType: 'pie', showLegend: false, chartHeight: 300, patterns: true }))).toEqual({
    chartType: 'pie',
    labelColumn: 'Region',
    dataColumn: 'Net revenue',
    showLegend: 'false',
    chartHeight: '300',
    patterns: 'true',
  });
});

test('the form comes back from it as it was', () => {
  for (const changes of [
    {},
    { chartType: 'boxPlot', title: '', showGrid: false, enableZoom: false, patterns: true },
    { title: 'Täglich & “mehr”', barOrientation: 'horizontal', barWidth: 5, legendPosition: 'left', showDataLabels: true },
    { animationSpeed: 0, chartHeight: 4000, showToolbar: false, enableAnimations: false, showLegend: false },
  ])
    expect(formOfAddress(address(changes), 'Sales')).toEqual({ ...form, ...changes });
});

test('words that make no sense count as left out', () => {
  const wrong = { chartType: 'cake', chartHeight: '1e9', barWidth: 'x', showGrid: 'maybe', legendPosition: 'middle' };
  expect(formOfAddress(wrong, 'Sales')).toEqual(initialForm('Sales'));
});

test('it tells whether there is a chart, and how to take it away', () => {
  expect(namesChart({ query: 'QD_Sales_Demo' })).toBe(false);
  expect(namesChart(address())).toBe(true);
  expect(given({ query: 'QD_Sales_Demo', ...address(), ...withoutChart })).toEqual({ query: 'QD_Sales_Demo' });
});
