import { beforeEach, expect, test } from 'vitest';
import { emptyData } from '../../../src/charts/summary/chart-data.ts';
import { chartConfigDefaults } from '../../../src/core/chart-config.ts';
import { queryClient } from '../../app/query-client.ts';
import { forgetSession } from '../../app/session.tsx';
import { keepResult, readLastResults } from './last-results.ts';

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ Region: `r${index}`, Net: index, Orders: 1 }));
const query = (queryName: string) => ({ queryName, resultColumns: null });
const chartOf = (count: number) => ({
  columns: [
    { name: 'Region', class: 'categorical' },
    { name: 'Net', class: 'numeric' },
    { name: 'Orders', class: 'numeric' },
  ] as const,
  data: { ...emptyData, rows: rows(count) },
  config: { ...chartConfigDefaults, chartType: 'bar', labelColumn: 'Region', dataColumn: 'Net' } as const,
});

beforeEach(() => queryClient.clear());

test('keeps the first rows of the last eight results, one for each query', () => {
  for (let index = 0; index < 10; index++) keepResult('ada', { query: query(`q${index}`), rows: rows(20), totalRows: 20 });
  keepResult('ada', { query: query('q5'), rows: rows(2), totalRows: 2 });
  const kept = readLastResults('ada');
  expect(kept.map(({ queryName }) => queryName)).toEqual(['q5', 'q9', 'q8', 'q7', 'q6', 'q4', 'q3', 'q2']);
  expect(kept.map((each) => each.rows.length)).toEqual([2, 5, 5, 5, 5, 5, 5, 5]);
  expect(kept[0]).toMatchObject({
    totalRows: 2,
    chart: null,
    columns: [{ label: 'Region' }, { label: 'Net' }, { label: 'Orders' }],
  });
});

test('keeps the points of a chart, unless there are too many', () => {
  const chart = chartOf(30);
  keepResult('ada', { query: query('drawn'), rows: rows(30), totalRows: 30, chart });
  expect(readLastResults('ada')[0]?.chart).toBe(chart);
  keepResult('ada', { query: query('drawn'), rows: rows(2001), totalRows: 2001, chart: chartOf(2001) });
  expect(readLastResults('ada')).toMatchObject([{ chart: null, totalRows: 2001 }]);
});

test('shows the results of a user to nobody else, and forgets them when the session ends', () => {
  keepResult('ada', { query: query('q'), rows: rows(1), totalRows: 1 });
  expect(readLastResults('bob')).toEqual([]);
  forgetSession();
  expect(readLastResults('ada')).toEqual([]);
});
