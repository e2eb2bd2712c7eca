import { expect, it } from 'vitest';
import { expectSuccess, failureOf } from '../../../test/support/people/people.ts';
import { type Rows, rowStreamOf } from '../../../test/support/results/row-stream-of.ts';
import type { QueryDefinition } from '../../catalog/query.ts';
import type { Column } from '../../core/column.ts';
import { takeChartRows } from './embed-view.ts';

const columns: readonly Column[] = [
  { name: 'id', type: 'int', kind: 'integer' },
  { name: 'day', type: 'date', kind: 'date' },
  { name: 'amount', type: '', kind: 'undeclared' },
];
const definition: QueryDefinition = {
  name: 'Sales',
  databaseId: 'd',
  sql: '',
  parameters: [],
  columns: [{ name: 'amount', displayName: 'Amount' }],
};
const chart = { labelColumn: 'day', dataColumn: 'Amount', moreDataColumns: [], seriesColumn: null };
const batches: readonly Rows[] = [
  [
    [1n, '2026-01-01', 1.5],
    [2n, '2026-01-02', 2.5],
  ],
  [[3n, '2026-01-03', null]],
];

it('reads the two columns of the chart and no other, with their classes', async () => {
  const stream = rowStreamOf(columns, batches);
  const read = expectSuccess(await takeChartRows(stream, definition, chart, 10));
  expect(read.columns).toEqual([
    { name: 'day', class: 'categorical', nature: 'time' },
    { name: 'Amount', class: 'numeric', nature: 'number' },
  ]);
  expect(read.rows).toEqual([
    { day: '2026-01-01', Amount: 1.5 },
    { day: '2026-01-02', Amount: 2.5 },
    { day: '2026-01-03', Amount: null },
  ]);
  expect(read.more).toBe(false);
  expect(stream.closed).toBe(true);
});

it.each([
  [3, undefined, 3, false],
  [2, undefined, 2, true],
  [10, 1, 1, true],
])('of at most %j rows (%j by the query) takes %i', async (rowsMax, maxRows, count, more) => {
  const bounded = maxRows === undefined ? definition : { ...definition, maxRows };
  const read = expectSuccess(await takeChartRows(rowStreamOf(columns, batches), bounded, chart, rowsMax));
  expect([read.rows.length, read.more]).toEqual([count, more]);
});

it('stops reading after the last row that it needs', async () => {
  let produced = 0;
  async function* counted(): AsyncIterable<Rows> {
    for (const batch of [...batches, ...batches]) {
      produced++;
      yield batch;
    }
  }
  const read = expectSuccess(await takeChartRows(rowStreamOf(columns, counted()), definition, chart, 1));
  expect([read.rows.length, produced]).toEqual([1, 1]);
});

it('reads no more than the maximum size', async () => {
  const long = 'x'.repeat(1 << 19);
  const many: Rows = Array.from({ length: 40 }, (_, index) => [BigInt(index), long, index]);
  const read = expectSuccess(await takeChartRows(rowStreamOf(columns, [many]), definition, chart, 1000));
  expect(read.more).toBe(true);
  expect(read.bytes).toBeLessThan(10 << 20);
});

it('reports a missing column, and closes the stream', async () => {
  const stream = rowStreamOf(columns, batches);
  const failure = failureOf(await takeChartRows(stream, definition, { ...chart, dataColumn: 'amount' }, 10));
  expect(failure).toEqual({ kind: 'StateConflict', reason: 'The query no longer has the column amount.' });
  expect(stream.closed).toBe(true);
});
