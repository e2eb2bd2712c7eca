import { expect, test } from 'vitest';
import { exampleQuery } from '../app/example-query.ts';
import type { ChartPage, Query } from '../app/wire.ts';
import { chartColumnsOf } from './chart-columns.ts';

const query = (resultColumns: Query['resultColumns'], columns: Query['columns'] = []): Query =>
  exampleQuery({ resultColumns, columns });

const page = (Columns: ChartPage['Columns'], Data: ChartPage['Data']): ChartPage => ({
  Columns,
  Data,
  RowSize: 1000,
  NextRowIndex: Data.length,
  QueryMoreCode: null,
});

const found = (name: string, kind: string, type: 'categorical' | 'numeric') => ({
  name,
  label: name,
  type: kind,
  kind,
  class: type,
});

test('suggests a month and a sum for a new chart, and not an id', () => {
  const { settings, columns } = chartColumnsOf(
    query([
      found('store_id', 'integer', 'numeric'),
      found('month', 'date', 'categorical'),
      found('revenue', 'decimal', 'numeric'),
    ]),
    page(
      [
        { Name: 'store_id', Type: 'numeric' },
        { Name: 'month', Type: 'categorical' },
        { Name: 'revenue', Type: 'numeric' },
      ],
      [{ store_id: 1, month: '2026-01-01', revenue: 10.5 }],
    ),
  );
  expect(settings).toMatchObject({ chartType: 'line', labelColumn: 'month', dataColumn: 'revenue' });
  expect(columns.map(({ nature }) => nature)).toEqual(['id', 'time', 'number']);
});

test('keeps text that looks like a date as text', () => {
  const { columns } = chartColumnsOf(
    query([found('version', 'text', 'categorical')]),
    page([{ Name: 'version', Type: 'categorical' }], [{ version: '2026-01-01' }]),
  );
  expect(columns).toEqual([{ name: 'version', class: 'categorical', nature: 'text' }]);
});

test('prefers the class in the response to the class in the query', () => {
  const { columns } = chartColumnsOf(
    query([found('n', 'text', 'categorical')]),
    page([{ Name: 'n', Type: 'numeric' }], [{ n: 1 }]),
  );
  expect(columns).toEqual([{ name: 'n', class: 'numeric', nature: 'number' }]);
});

test('classifies an undeclared column by its values', () => {
  const { columns, settings } = chartColumnsOf(
    query(null),
    page(
      [
        { Name: 'answer', Type: 'categorical' },
        { Name: 'order_no', Type: 'numeric' },
        { Name: 'votes', Type: 'numeric' },
      ],
      [{ answer: true, order_no: 7, votes: 3.5 }],
    ),
  );
  expect(columns.map(({ nature }) => nature)).toEqual(['boolean', 'id', 'number']);
  expect(settings).toMatchObject({ labelColumn: 'answer', dataColumn: 'votes' });
});
