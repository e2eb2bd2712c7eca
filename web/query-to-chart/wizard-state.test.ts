import { expect, test } from 'vitest';
import { chartConfigDefaults } from '../../src/core/chart-config.ts';
import { exampleQuery } from '../app/example-query.ts';
import { createInitialState, findLastOpenStep, reduceWizard, type WizardEvent, type WizardState } from './wizard-state.ts';

const query = exampleQuery({
  queryName: 'QD_Sales_Demo',
  name: 'Sales',
  parameters: [{ name: '@Year', dataType: 'int', required: true, default: '2026' }],
});
const columns = {
  columns: [
    { name: 'Region', class: 'categorical' as const },
    { name: 'Revenue', class: 'numeric' as const },
  ],
  settings: { ...chartConfigDefaults, chartType: 'line', labelColumn: 'Region', dataColumn: 'Revenue' } as const,
};
const received = (draws: boolean, queryName = query.queryName): WizardEvent => ({
  ...{ type: 'rows-received', queryName, columns, draws },
});
const after = (state: WizardState, ...events: readonly WizardEvent[]): WizardState => events.reduce(reduceWizard, state);
const start = createInitialState(query, {});

test('reads the values and the chart from the URL, and the defaults from the query', () => {
  expect(start).toMatchObject({ step: 0, values: { '@Year': '2026' }, form: { title: 'Sales', chartType: 'bar' } });
  expect(createInitialState(query, { '@Year': '2025', chartType: 'pie' })).toMatchObject({
    values: { '@Year': '2025' },
    form: { chartType: 'pie' },
  });
});

test('choosing another query resets everything', () => {
  const used = after(start, received(false), { type: 'chart-requested' });
  expect(after(used, { type: 'query-chosen', query: null, params: {} })).toEqual(createInitialState(null, {}));
});

test('shows a missing value until the values change', () => {
  const refused = after(start, { type: 'run-started', missing: { '@Year': 'A value is required.' } });
  expect(refused).toMatchObject({ missing: { '@Year': 'A value is required.' }, refusals: 1 });
  expect(after(refused, { type: 'values-changed', values: { '@Year': '2024' } })).toMatchObject({
    missing: {},
    values: { '@Year': '2024' },
  });
  expect(after(start, { type: 'run-started', missing: {} }).refusals).toBe(0);
  expect(after(start, { type: 'run-failed' }).refusals).toBe(1);
});

test('goes to the configuration when rows arrive, with the suggested chart', () => {
  const form = { chartType: 'line', labelColumn: 'Region', dataColumn: 'Revenue', title: 'Sales' };
  expect(after(start, received(false))).toMatchObject({ step: 1, form });
});

test('stays on a later step when rows arrive', () => {
  expect(after(start, received(false), { type: 'chart-requested' }, received(false)).step).toBe(2);
});

test('draws the chart in the URL directly if the result has its columns', () => {
  const params = { chartType: 'pie', labelColumn: 'Region', dataColumn: 'Revenue' };
  expect(after(createInitialState(query, params), received(true))).toMatchObject({ step: 2, config: { chartType: 'pie' } });
  const gone = createInitialState(query, { ...params, dataColumn: 'Gone' });
  expect(after(gone, received(true))).toMatchObject({ step: 1, config: null, form: { dataColumn: 'Revenue' } });
});

test('ignores the rows of a query that is no longer chosen', () => {
  expect(after(start, received(true, 'QD_Other_Demo'))).toBe(start);
});

test('generates a chart from a valid form', () => {
  const state = after(start, received(false), { type: 'chart-requested' });
  expect(state).toMatchObject({ step: 2, config: { labelColumn: 'Region', chartHeight: 400 }, formErrors: {} });
});

test('reports an invalid field until that field changes', () => {
  const invalid = { chartHeight: '', barWidth: 0 };
  const refused = after(start, received(false), { type: 'form-changed', fields: invalid }, { type: 'chart-requested' });
  expect(refused).toMatchObject({ step: 1, config: null, refusals: 1 });
  expect(Object.keys(refused.formErrors)).toEqual(['chartHeight', 'barWidth']);
  const changed = after(refused, { type: 'form-changed', fields: { chartHeight: 300 } });
  expect(Object.keys(changed.formErrors)).toEqual(['barWidth']);
});

test('opens the steps as rows and a chart become available', () => {
  expect(findLastOpenStep(false, start)).toBe(0);
  const withRows = after(start, received(false));
  expect(findLastOpenStep(true, withRows)).toBe(1);
  const drawn = after(withRows, { type: 'chart-requested' }, { type: 'step-chosen', step: 0 });
  expect(drawn.step).toBe(0);
  expect(findLastOpenStep(true, drawn)).toBe(2);
});
