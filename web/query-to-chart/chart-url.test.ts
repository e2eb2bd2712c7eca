import { expect, test } from 'vitest';
import { configOf, createForm } from './chart-form.ts';
import { urlOfChart, formFromUrl, hasChart, withoutChart } from './chart-url.ts';

const form = { ...createForm('Sales'), labelColumn: 'Region', dataColumn: 'Net revenue' };
const params = (changes = {}) => {
  const made = configOf({ ...form, ...changes });
  if ('errors' in made) throw new Error(JSON.stringify(made.errors));
  return urlOfChart(made.config, 'Sales');
};
const defined = (params: object) => Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));

test('writes only non-default options to the URL, and always the chart type', () => {
  expect(defined(params())).toEqual({ chartType: 'bar', labelColumn: 'Region', dataColumn: 'Net revenue' });
  expect(defined(params({ chartType: 'pie', showLegend: false, chartHeight: 300, patterns: true }))).toEqual({
    chartType: 'pie',
    labelColumn: 'Region',
    dataColumn: 'Net revenue',
    showLegend: 'false',
    chartHeight: '300',
    patterns: 'true',
  });
});

test('restores the form from the URL', () => {
  for (const changes of [
    {},
    { chartType: 'boxPlot', title: '', showGrid: false, enableZoom: false, patterns: true },
    { title: 'Täglich & “mehr”', barOrientation: 'horizontal', barWidth: 5, legendPosition: 'left', showDataLabels: true },
    { animationSpeed: 0, chartHeight: 4000, showToolbar: false, enableAnimations: false, showLegend: false },
  ])
    expect(formFromUrl(params(changes), 'Sales')).toEqual({ ...form, ...changes });
});

test('ignores invalid values', () => {
  const wrong = { chartType: 'cake', chartHeight: '1e9', barWidth: 'x', showGrid: 'maybe', legendPosition: 'middle' };
  expect(formFromUrl(wrong, 'Sales')).toEqual(createForm('Sales'));
});

test('says whether the URL contains a chart, and removes it', () => {
  expect(hasChart({ query: 'QD_Sales_Demo' })).toBe(false);
  expect(hasChart(params())).toBe(true);
  expect(defined({ query: 'QD_Sales_Demo', ...params(), ...withoutChart })).toEqual({ query: 'QD_Sales_Demo' });
});
