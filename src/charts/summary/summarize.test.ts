import { describe, expect, it } from 'vitest';
import type { ChartRow } from '../built-chart.ts';
import { toTime } from '../cell-values.ts';
import { createSummarizer, type SummarySpec } from './summarize.ts';

const plain: SummarySpec = {
  label: 'Region',
  data: ['Amount'],
  series: null,
  aggregate: 'sum',
  clockOf: null,
  unit: 'auto',
  sortBy: 'none',
  maxGroups: 10_000,
};
const byTime: SummarySpec = { ...plain, label: 'Day', clockOf: toTime };

function summarize(rows: Iterable<ChartRow>, spec: Partial<SummarySpec> = {}) {
  const summarizer = createSummarizer({ ...plain, ...spec });
  for (const row of rows) if (!summarizer.add(row)) return null;
  return summarizer.finish();
}

describe('labels', () => {
  const rows = [
    { Region: 'North', Amount: 0.1 },
    { Region: 'South', Amount: null },
    { Region: 'North', Amount: '0.2' },
    { Region: null, Amount: 5 },
    { Region: 'North', Amount: 0.7 },
  ];

  it.each([
    ['sum', [1, null, 5]],
    ['count', [3, 0, 1]],
    ['average', [1 / 3, null, 5]],
    ['min', [0.1, null, 5]],
    ['max', [0.7, null, 5]],
  ] as const)('are grouped by %s in the order of the rows', (aggregate, expected) => {
    const summary = summarize(rows, { aggregate });
    expect(summary?.rows.map(({ Region }) => Region)).toEqual(['North', 'South', null]);
    expect(summary?.rows.map(({ Amount }) => Amount)).toEqual(
      expected.map((value) => (value === null ? null : expect.closeTo(value, 12))),
    );
    expect(summary).toMatchObject({ groups: 3, unit: null });
  });

  it('adds amounts in cents without an error of binary fractions', () => {
    const cents = Array.from({ length: 100_000 }, (_, index) => ({ Region: 'North', Amount: ((index * 7919) % 100_000) / 100 }));
    expect(summarize(cents)?.rows).toEqual([{ Region: 'North', Amount: 49_999_500 }]);
    expect(summarize([0.1, 0.2].map((Amount) => ({ Region: 'North', Amount })))?.rows).toEqual([
      { Region: 'North', Amount: 0.3 },
    ]);
  });

  it('are sorted by value, by name or by number, and cut to a limit', () => {
    const many = [3, 10, 1].map((Region) => ({ Region, Amount: Region % 10 }));
    const regions = (spec: Partial<SummarySpec>) => summarize(many, spec)?.rows.map(({ Region }) => Region);
    expect(regions({ sortBy: 'label' })).toEqual([1, 3, 10]);
    expect(regions({ sortBy: 'value' })).toEqual([3, 1, 10]);
    expect(regions({ sortBy: 'value', limit: 2 })).toEqual([3, 1]);
    expect(summarize(many, { limit: 1 })?.groups).toBe(3);
  });

  it('have a row per series, and several measures', () => {
    const sold = [
      { Region: 'North', Kind: 'a', Amount: 1, Units: 2 },
      { Region: 'North', Kind: 'b', Amount: 3, Units: 4 },
      { Region: 'South', Kind: 'a', Amount: 5, Units: 6 },
      { Region: 'North', Kind: 'a', Amount: 7, Units: 8 },
    ];
    expect(summarize(sold, { series: 'Kind', data: ['Amount', 'Units'] })?.rows).toEqual([
      { Region: 'North', Kind: 'a', Amount: 8, Units: 10 },
      { Region: 'North', Kind: 'b', Amount: 3, Units: 4 },
      { Region: 'South', Kind: 'a', Amount: 5, Units: 6 },
    ]);
  });

  it('are refused past the limit of groups, also those of series', () => {
    const rows101 = Array.from({ length: 101 }, (_, index) => ({ Region: index, Kind: index % 2, Amount: 1 }));
    expect(summarize(rows101.slice(0, 100), { maxGroups: 100 })?.groups).toBe(100);
    expect(summarize(rows101, { maxGroups: 100 })).toBeNull();
    expect(
      summarize(
        rows101.map((row) => ({ ...row, Region: 1, Kind: row.Region })),
        { series: 'Kind', maxGroups: 100 },
      ),
    ).toBeNull();
  });
});

describe('times', () => {
  const dayMs = 86_400_000;
  const days = (count: number, from = '2025-01-01') =>
    Array.from({ length: count }, (_, index) => ({
      Day: new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10),
      Amount: 1,
    }));

  it.each([
    [12, 'day', 12],
    [90, 'day', 90],
    [365, 'week', 53],
    [900, 'month', 30],
    [2_000, 'quarter', 22],
    [9_000, 'year', 25],
    [30_000, 'year', 83],
  ] as const)('of %i days are grouped by %s', (count, unit, labels) => {
    const summary = summarize(days(count), byTime);
    expect(summary?.unit).toBe(unit);
    expect(summary?.rows.length).toBe(labels);
    expect(summary?.rows.reduce((sum, { Amount }) => sum + Number(Amount), 0)).toBe(count);
  });

  it('that are months stay months', () => {
    const months = Array.from({ length: 12 }, (_, month) => ({
      Day: `2025-${String(month + 1).padStart(2, '0')}-01`,
      Amount: month,
    }));
    const summary = summarize(months.toReversed(), byTime);
    expect(summary).toMatchObject({ unit: 'month', groups: 12 });
    expect(summary?.rows).toEqual(months);
  });

  it('within a day are grouped by minutes and hours, and written without a zone', () => {
    const minutes = Array.from({ length: 60 }, (_, index) => ({
      Day: `2025-03-01T10:${String(index).padStart(2, '0')}:30`,
      Amount: 1,
    }));
    expect(summarize(minutes, byTime)?.rows[1]).toEqual({ Day: '2025-03-01T10:01:00', Amount: 1 });
    const hours = days(2).flatMap(({ Day }) =>
      Array.from({ length: 24 }, (_, hour) => ({ Day: `${Day} ${String(hour).padStart(2, '0')}:00:00`, Amount: 1 })),
    );
    expect(summarize(hours, byTime)).toMatchObject({ unit: 'hour', groups: 48 });
  });

  it('have empty buckets: 0 for sum and count, null otherwise, for every series', () => {
    const gap = [
      { Day: '2025-01-15', Kind: 'a', Amount: 2 },
      { Day: '2025-03-02', Kind: 'b', Amount: 4 },
    ];
    const month = { ...byTime, unit: 'month' } as const;
    const amounts = (spec: Partial<SummarySpec>) => summarize(gap, { ...month, ...spec })?.rows.map(({ Amount }) => Amount);
    expect(summarize(gap, month)?.rows.map(({ Day }) => Day)).toEqual(['2025-01-01', '2025-02-01', '2025-03-01']);
    expect(amounts({})).toEqual([2, 0, 4]);
    expect(amounts({ aggregate: 'count' })).toEqual([1, 0, 1]);
    expect(amounts({ aggregate: 'max' })).toEqual([2, null, 4]);
    expect(amounts({ series: 'Kind' })).toEqual([2, 0, 0, 0, 0, 4]);
  });

  it('keep labels that are not times, after the buckets', () => {
    const some = [{ Day: null, Amount: 1 }, ...days(2), { Day: 'infinity', Amount: 3 }, { Day: null, Amount: 2 }];
    expect(summarize(some, byTime)?.rows).toEqual([
      { Day: '2025-01-01', Amount: 1 },
      { Day: '2025-01-02', Amount: 1 },
      { Day: null, Amount: 3 },
      { Day: 'infinity', Amount: 3 },
    ]);
  });

  it('weeks begin on Monday, and are exact next to months', () => {
    const summary = summarize(days(14, '2025-01-01'), { ...byTime, unit: 'week' });
    expect(summary?.rows.map(({ Day, Amount }) => [Day, Amount])).toEqual([
      ['2024-12-30', 5],
      ['2025-01-06', 7],
      ['2025-01-13', 2],
    ]);
  });

  it('are refused if the unit makes too many buckets', () => {
    expect(summarize(days(30), { ...byTime, unit: 'minute' })).toBeNull();
  });

  it('are equal in any order of the rows', () => {
    const shuffled = days(2_000).map((row, index, all) => all[(index * 1_237) % all.length] ?? row);
    expect(summarize(shuffled, byTime)).toEqual(summarize(days(2_000), byTime));
  });
});
