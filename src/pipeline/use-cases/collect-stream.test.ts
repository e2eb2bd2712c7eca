import { expect, it } from 'vitest';
import { expectSuccess, failureOf } from '../../../test/support/people/people.ts';
import { type Rows, rowStreamOf } from '../../../test/support/results/row-stream-of.ts';
import type { QueryDefinition } from '../../catalog/query.ts';
import { toTime } from '../../charts/cell-values.ts';
import { chartConfigDefaults, type ChartConfig } from '../../core/chart-config.ts';
import type { Column } from '../../core/column.ts';
import type { RowStream } from '../../results/row-stream.ts';
import { collectStream } from './embed-view.ts';

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
const batches: readonly Rows[] = [
  [
    [1n, '2026-01-01', 1.5],
    [2n, '2026-01-02', 2.5],
  ],
  [[3n, '2026-01-03', null]],
];

const read = (stream: RowStream, changes: Partial<ChartConfig> = {}, more: Partial<QueryDefinition> = {}, maxRows = 10) =>
  collectStream(
    stream,
    { ...definition, ...more },
    { ...chartConfigDefaults, chartType: 'bar', labelColumn: 'day', dataColumn: 'Amount', timeUnit: 'none', ...changes },
    { clockOf: toTime, maxRows },
  );

it('reads the two columns of the chart and no other, with their classes', async () => {
  const stream = rowStreamOf(columns, batches);
  const { columns: found, data } = expectSuccess(await read(stream));
  expect(found).toEqual([
    { name: 'day', class: 'categorical', nature: 'time' },
    { name: 'Amount', class: 'numeric', nature: 'number' },
  ]);
  expect(data.rows).toEqual([
    { day: '2026-01-01', Amount: 1.5 },
    { day: '2026-01-02', Amount: 2.5 },
    { day: '2026-01-03', Amount: null },
  ]);
  expect(data).toMatchObject({ rowsRead: 3, missing: 1, refusal: null });
  expect(stream.closed).toBe(true);
});

it('aggregates all rows of a long result', async () => {
  const many = Array.from({ length: 30 }, (_, batch): Rows =>
    Array.from({ length: 997 }, (_row, index) => [BigInt(index), `2026-01-0${1 + (index % 3)}`, batch]),
  );
  const { data } = expectSuccess(await read(rowStreamOf(columns, many), {}, {}, 1_000_000));
  expect(data.rowsRead).toBe(30 * 997);
  expect(data.rows.reduce((sum, { Amount }) => sum + Number(Amount), 0)).toBe((997 * 29 * 30) / 2);
});

it.each([
  [3, undefined, null],
  [2, undefined, 'more than 2 rows (SLUICE_CHART_ROWS)'],
  [10, 1, 'at most 1 rows (its maxRows)'],
  [10, 3, null],
])('of at most %j rows (%j by the query) refuses a part: %s', async (maxRows, ofQuery, refusal) => {
  const more = ofQuery === undefined ? {} : { maxRows: ofQuery };
  const { data } = expectSuccess(await read(rowStreamOf(columns, batches), {}, more, maxRows));
  expect(data.refusal?.advice ?? null).toEqual(refusal === null ? null : expect.stringContaining(refusal));
});

it('stops reading after the last row that it needs', async () => {
  let produced = 0;
  async function* counted(): AsyncIterable<Rows> {
    for (let batch = 0; batch < 100; batch++) {
      produced++;
      yield Array.from({ length: 500 }, (_, index): Rows[number] => [BigInt(index), '2026-01-01', index]);
    }
  }
  const { data } = expectSuccess(await read(rowStreamOf(columns, counted()), {}, {}, 100));
  expect(data.refusal).not.toBeNull();
  expect(produced).toBeLessThan(5);
});

it('reports a missing column, and closes the stream', async () => {
  const stream = rowStreamOf(columns, batches);
  const failure = failureOf(await read(stream, { dataColumn: 'amount' }));
  expect(failure).toEqual({ kind: 'StateConflict', reason: 'The query no longer has the column amount.' });
  expect(stream.closed).toBe(true);
});
