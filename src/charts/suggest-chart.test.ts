import { describe, expect, it, test } from 'vitest';
import { createRandom } from '../../test/support/faults/random.ts';
import type { QueryChart } from '../catalog/query.ts';
import { columnsOf } from '../core/chart-config.ts';
import type { ColumnFormat } from '../core/column-format.ts';
import type { ChartColumn, ChartRow } from './built-chart.ts';
import { chartSettings, chartProblems } from './suggest-chart.ts';

type Nature = NonNullable<ChartColumn['nature']>;

/** `Region:text Revenue:number`, with spaces in names as underscores. */
const columnsIn = (text: string): readonly ChartColumn[] =>
  text.split(' ').map((part) => {
    const [name = '', nature] = part.split(':') as [string, Nature];
    return { name, nature, class: nature === 'number' || nature === 'id' ? 'numeric' : 'categorical' };
  });

const rowsOf = (columns: readonly ChartColumn[], cells: readonly (readonly unknown[])[]): readonly ChartRow[] =>
  cells.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));

const suggested = (text: string, cells: readonly (readonly unknown[])[] = []) => {
  const columns = columnsIn(text);
  return chartSettings(null, columns, rowsOf(columns, cells));
};

describe('the suggestion by the columns', () => {
  it.each([
    // a time and a measure
    ['Month:time Revenue:number Orders:number', 'line', 'Month', 'Revenue'],
    ['Day:time on_hand:number', 'line', 'Day', 'on_hand'],
    ['order_id:id Day:time Revenue:number', 'line', 'Day', 'Revenue'],
    ['Year:number Revenue:number', 'line', 'Year', 'Revenue'],
    // a category and a measure
    ['Region:text Revenue:number Margin:number Orders:number', 'bar', 'Region', 'Revenue'],
    ['order_id:id Region:text Units:number Revenue:number', 'bar', 'Region', 'Revenue'],
    ['Region:text Unit_price:number Units:number', 'bar', 'Region', 'Units'],
    ['Paid:boolean Revenue:number', 'bar', 'Paid', 'Revenue'],
    ['order_id:id Revenue:number', 'bar', 'order_id', 'Revenue'],
    // a date after the measures, or of single rows, is no axis
    ['customer_id:id Name:text Country:text Orders:number Revenue:number Last_order:time', 'bar', 'Name', 'Revenue'],
    ['Country_code:text Country:text Orders:number', 'bar', 'Country', 'Orders'],
    ['SKU:text Orders:number', 'bar', 'SKU', 'Orders'],
    ['Name:text Last_order:time Revenue:number', 'bar', 'Name', 'Revenue'],
    ['Last_order:time Name:text Revenue:number', 'bar', 'Name', 'Revenue'],
    // ids, rates, percentages and line numbers are not measures
    ['Region:text On-time_rate_(%):number Average_days:number Deliveries:number', 'bar', 'Region', 'Deliveries'],
    ['Weekday:text Share_(%):number Orders:number', 'bar', 'Weekday', 'Orders'],
    ['line_number:number Product:text Quantity:number', 'bar', 'Product', 'Quantity'],
    ['Rank:number Product:text Units:number', 'bar', 'Product', 'Units'],
    ['Region:text conversionRate:number', 'bar', 'Region', 'conversionRate'],
    ['Corporate:text Generated:number', 'bar', 'Corporate', 'Generated'],
    // two numbers
    ['Price:number Units:number', 'scatter', 'Price', 'Units'],
    ['Units:number', 'bar', 'Units', 'Units'],
  ])('draws %s as %s of %s and %s', (columns, chartType, labelColumn, dataColumn) => {
    expect(suggested(columns)).toMatchObject({ chartType, labelColumn, dataColumn, moreDataColumns: [] });
  });

  it('averages rates, prices and ratings, and adds up everything else', () => {
    const aggregate = (columns: string) => suggested(columns)?.aggregate;
    expect(aggregate('Region:text Return_rate:number')).toBe('average');
    expect(aggregate('Region:text Price:number')).toBe('average');
    expect(aggregate('Region:text Stars:number')).toBe('average');
    expect(aggregate('Region:text Revenue:number')).toBe('sum');
    expect(aggregate('Price:number Units:number')).toBe('none');
  });

  it('returns null where there is nothing to measure', () => {
    expect(chartSettings(null, [])).toBeNull();
    expect(suggested('customer_id:id Name:text Country:text Signed_up:time')).toBeNull();
    expect(suggested('customer_id:id')).toBeNull();
  });

  it('reads the formats of the columns', () => {
    const settings = (formats: Readonly<Record<string, ColumnFormat>>) =>
      chartSettings(
        null,
        columnsIn('Customer:number Name:text Orders:number Value:number Took:number').map((column) => {
          const format = formats[column.name];
          return { ...column, ...(format && { format, ...(format.kind === 'id' ? { nature: 'id' as const } : {}) }) };
        }),
      );
    const id = { kind: 'id' } as const;
    const euros = { kind: 'currency', currency: 'EUR' } as const;
    expect(settings({ Customer: id })).toMatchObject({ labelColumn: 'Name', dataColumn: 'Orders' });
    expect(settings({ Customer: id, Value: euros })).toMatchObject({ dataColumn: 'Value', aggregate: 'sum' });
    expect(settings({ Customer: id, Orders: { kind: 'percent' }, Value: id, Took: { kind: 'duration' } })).toMatchObject({
      dataColumn: 'Took',
      aggregate: 'average',
    });
  });
});

describe('the suggestion by the rows', () => {
  const bars = (labels: readonly string[]) =>
    suggested(
      'Label:text Value:number',
      labels.map((label, index) => [label, index]),
    );

  it('draws long or many labels as horizontal bars by value', () => {
    const horizontal = { barOrientation: 'horizontal', sortBy: 'value' };
    expect(bars(['North', 'South'])).toMatchObject({ barOrientation: 'vertical', sortBy: 'none' });
    expect(bars(['North', 'A label of many characters'])).toMatchObject(horizontal);
    expect(bars(Array.from({ length: 13 }, (_, index) => `Store ${String.fromCodePoint(65 + index)}`))).toMatchObject(horizontal);
  });

  it('keeps the order of weekdays, months and ranges', () => {
    const ordered = { barOrientation: 'vertical', sortBy: 'none' };
    expect(bars(['Monday', 'Tuesday', 'the rest of the whole week'])).toMatchObject(ordered);
    expect(bars(Array.from({ length: 24 }, (_, hour) => `${hour}:00`))).toMatchObject(ordered);
    expect(bars(['January 2026', 'February 2026', 'September of 2026'])).toMatchObject(ordered);
    expect(bars(['Sunflower oil, cold pressed', 'Marmalade'])).toMatchObject({ sortBy: 'value' });
  });

  it('makes a series of a category that has one row at each label', () => {
    const months = ['2026-01-01', '2026-02-01', '2026-03-01'];
    const cells = ['North', 'South'].flatMap((region) => months.map((month) => [region, month, 5]));
    expect(suggested('Region:text Month:time Revenue:number', cells)).toMatchObject({
      chartType: 'line',
      labelColumn: 'Month',
      seriesColumn: 'Region',
    });
    const pairs = ['North', 'South'].flatMap((region) => ['Web', 'Store'].map((channel) => [region, channel, 5]));
    expect(suggested('Region:text Channel:text Revenue:number', pairs)).toMatchObject({
      chartType: 'bar',
      labelColumn: 'Region',
      seriesColumn: 'Channel',
    });
    expect(suggested('Region:text Channel:text Revenue:number', [...pairs, ...pairs])).toMatchObject({ seriesColumn: null });
  });

  it('does not take the date of single rows for an axis', () => {
    const people = Array.from({ length: 20 }, (_, index) => [`Person ${index}`, `2026-01-${10 + index}`, index]);
    expect(suggested('Name:text Signed_up:time Orders:number', people)).toMatchObject({ chartType: 'bar', labelColumn: 'Name' });
    expect(
      suggested('Opens:time Visits:number', [
        ['09:00:00', 5],
        ['10:00:00', 7],
      ]),
    ).toMatchObject({ chartType: 'bar' });
  });

  it('prefers a date, then a category that repeats, to a name for each of many rows', () => {
    const events = (count: number) =>
      Array.from({ length: count }, (_, index) => [`E${index}`, `2026-01-${10 + (index % 20)}`, `Region ${index % 600}`, index]);
    const settings = (columns: string, count: number) => suggested(columns, events(count));
    expect(settings('Event:text At:time Region:text Value:number', 1000)).toMatchObject({ chartType: 'line', labelColumn: 'At' });
    expect(settings('Event:text At:time Region:text Value:number', 999)).toMatchObject({
      chartType: 'bar',
      labelColumn: 'Event',
    });
    expect(settings('Event:text Last_seen:time Region:text Value:number', 1200)).toMatchObject({
      chartType: 'bar',
      labelColumn: 'Region',
    });
    expect(settings('Event:text Last_seen:time Region:text Value:number', 1000)).toMatchObject({ labelColumn: 'Event' });
  });
});

describe('the chart of the author', () => {
  const columns = columnsIn('Region:text Revenue:number Margin:number');
  const chart: QueryChart = {
    type: 'bar',
    label: 'Region',
    data: ['Margin', 'Revenue'],
    sortBy: 'label',
    options: { stacked: 'percent', chartHeight: 300 },
  };

  it('is used while the result has its columns', () => {
    expect(chartSettings(chart, columns)).toMatchObject({
      chartType: 'bar',
      dataColumn: 'Margin',
      moreDataColumns: ['Revenue'],
      sortBy: 'label',
      stacked: 'percent',
      chartHeight: 300,
      showLegend: true,
    });
    expect(chartSettings({ ...chart, series: 'Gone' }, columns)).toMatchObject({ dataColumn: 'Revenue', moreDataColumns: [] });
  });

  it('names the fields without a column, and ids as measures', () => {
    const shown = [{ label: 'Region', format: { kind: 'id' } as const }, { label: 'Margin' }];
    const problems = chartProblems({ ...chart, data: ['Margin', 'Gone', 'Region'], series: 'Channel' }, shown);
    expect(problems.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'data.1: The query has no column "Gone". It has Region, Margin.',
      'data.2: The column "Region" contains ids, which are not a measure. Choose another one.',
      'series: The query has no column "Channel". It has Region, Margin.',
    ]);
  });
});

test('suggests columns of the result, whatever they are', () => {
  const names = ['Region', 'Month', 'year', 'rate (%)', 'id', '', 'Last order', 'constructor', 'n'];
  const natures: readonly Nature[] = ['time', 'text', 'boolean', 'id', 'number'];
  const cells = [null, 1, 2, 'a', 'b', '2026-01-01', '', true];
  const random = createRandom(7);
  for (let round = 0; round < 2000; round++) {
    const columns = names
      .filter(() => random.below(2) === 0)
      .map((name): ChartColumn => ({ name, class: 'categorical', nature: random.pick(natures) }));
    const rows = rowsOf(
      columns,
      Array.from({ length: random.below(12) }, () => columns.map(() => random.pick(cells))),
    );
    const settings = chartSettings(null, columns, rows);
    const missing = settings === null ? [] : columnsOf(settings).filter((name) => !columns.some((each) => each.name === name));
    expect({ columns, missing }).toEqual({ columns, missing: [] });
  }
});
