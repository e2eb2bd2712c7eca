import { describe, expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart, type Cells, formatWith } from '../../../test/support/results/build-test-chart.ts';

const names = (data: unknown) => (Array.isArray(data) ? data.map(({ name }) => name) : []);

describe('pie and doughnut', () => {
  it('show the nine largest slices and group the others', () => {
    const { option, notes, drawn } = buildTestChart('pie', alphabet(12));
    expect(drawn).toBe(10);
    expect(names(readPath(option, 'series', 0, 'data')).at(-1)).toBe('Others (3)');
    expect(notes).toEqual(['The 9 largest labels are shown; 3 others are grouped: 7.7% of the total.']);
    expect(buildTestChart('pie', alphabet(10)).notes).toEqual([]);
  });

  it('list short names in two columns on a phone', () => {
    const legend = (cells: Cells) => {
      const { option, height } = buildTestChart('pie', cells, { surface: { width: 380 } });
      return [readPath(option, 'legend', 'orient'), readPath(option, 'legend', 'height'), height];
    };
    const long: Cells = alphabet(8).map(([label, value]) => [`${String(label)} of a rather long name`, value]);
    expect(legend(alphabet(8))).toEqual(['vertical', 88, 400]);
    expect(legend(long)).toEqual(['vertical', 176, 464]);
  });

  it('fit the total into the hole', () => {
    const size = (value: number) => {
      const { option } = buildTestChart('donut', [['a', value]], { chartHeight: 200 });
      const titles = readPath(option, 'title');
      return Number(readPath(Array.isArray(titles) ? titles.at(-1) : null, 'textStyle', 'fontSize'));
    };
    expect(size(5)).toBeGreaterThan(12);
    expect(size(4.19e18)).toBeLessThan(size(5));
    const averages = buildTestChart(
      'donut',
      [
        ['a', 1],
        ['b', 2],
      ],
      { aggregate: 'average' },
    );
    expect(JSON.stringify(readPath(averages.option, 'title'))).not.toContain('"text":"3"'); // a sum of averages means nothing
  });

  it('suggest a bar chart if the others are the largest part', () => {
    expect(buildTestChart('donut', alphabet(100)).notes.at(-1)).toBe('A bar chart may show this better.');
  });

  it('distinguish a label named like the group of others', () => {
    const { option } = buildTestChart('pie', [['Others (3)', 50], ...alphabet(12)]);
    expect(new Set(names(readPath(option, 'series', 0, 'data'))).size).toBe(10);
  });

  it('show names and shares at the slices, in the legend if there is no room', () => {
    const cells: Cells = [
      ['North America', 1],
      ['b', 3],
    ];
    const label = (more: object) => {
      const { option } = buildTestChart('pie', cells, more);
      const shown = readPath(option, 'series', 0, 'label', 'show');
      return shown ? formatWith(readPath(option, 'series', 0, 'label', 'formatter'), { dataIndex: 1 }) : null;
    };
    expect(label({})).toBe('North America 25.0%'); // the largest is first
    expect(label({ showLegend: false })).toBe('North America 25.0%');
    expect(label({ showLegend: false, surface: { width: 240 } })).toBe('North A…\n25.0%');
    const small = { surface: { width: 230 } };
    expect(label(small)).toBeNull();
    const legend = readPath(buildTestChart('pie', cells, small).option, 'legend', 'formatter');
    expect(formatWith(legend, 'North America').trim()).toBe('North America 25.0%');
  });

  it('show a name that the legend cuts in a tooltip', () => {
    const long = 'Consolidated statement of receivables <b>abroad</b>, subsidiaries and affiliates';
    const { option } = buildTestChart(
      'pie',
      [
        [long, 1],
        ['b', 3],
      ],
      { surface: { width: 400 } },
    );
    const name = formatWith(readPath(option, 'legend', 'formatter'), long);
    expect(name).toBe('Consolidated state… 25.0%');
    expect(readPath(option, 'legend', 'data', 0)).toBe('b');
    expect(formatWith(readPath(option, 'legend', 'data', 1, 'tooltip', 'formatter'))).toContain(
      '&lt;b&gt;abroad&lt;/b&gt;, subsidiaries and affiliates',
    );
  });

  it('differ in a hole that shows the total', () => {
    const cells: Cells = [
      ['a', 1_000_000],
      ['b', 600_000],
    ];
    expect(readPath(buildTestChart('pie', cells).option, 'series', 0, 'radius', 0)).toBe(0);
    expect(readPath(buildTestChart('donut', cells).option, 'series', 0, 'radius', 0)).toBeGreaterThan(0);
    expect(readPath(buildTestChart('donut', cells).option, 'title', 0)).toMatchObject({ text: '1.6M', subtext: 'Value' });
    expect(readPath(buildTestChart('donut', cells, { title: 'T' }).option, 'title')).toHaveLength(2);
  });
});
