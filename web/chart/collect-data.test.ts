import { expect, it } from 'vitest';
import type { DrawnConfig } from '../../src/charts/summary/chart-data.ts';
import { type ChartSource, collectData } from './collect-data.ts';

it('groups times of all rows by the clock of the service, as the service does', async () => {
  const source: ChartSource = {
    queryName: 'QD_Times_Demo',
    parameters: [],
    columns: [
      { name: 'At', class: 'categorical', nature: 'time' },
      { name: 'Value', class: 'numeric', nature: 'number' },
    ],
    rows: [
      { At: '2026-03-01T02:00:00Z', Value: 1 },
      { At: '2026-03-01T12:00:00Z', Value: 2 },
    ],
    code: null,
  };
  const wanted: DrawnConfig = {
    chartType: 'bar',
    labelColumn: 'At',
    dataColumn: 'Value',
    moreDataColumns: [],
    seriesColumn: null,
    aggregate: 'sum',
    sortBy: 'none',
    timeUnit: 'month',
  };
  const { collected } = await collectData(
    source,
    wanted,
    { allLabels: false, zone: 'America/New_York' },
    new AbortController().signal,
  );
  expect(collected.rows).toEqual([
    { At: '2026-02-01', Value: 1 },
    { At: '2026-03-01', Value: 2 },
  ]);
});
