import { Resvg } from '@resvg/resvg-js';
import { describe, expect, it } from 'vitest';
import { buildFromRows, buildTestChart, type Cells, formatWith, readPath } from '../../test/support/results/build-test-chart.ts';
import { chartConfigDefaults, chartTypes } from '../core/chart-config.ts';
import { chartSvg } from './svg/chart-svg.ts';

const nasty = `<img src=x onerror="alert(1)">&'{value|9}</text><script>`;

const tables: Readonly<Record<string, Cells>> = {
  'no rows': [],
  'one row': [['a', 1]],
  'two rows': [
    ['a', 1],
    ['b', 2],
  ],
  'nulls alone': [
    [null, null],
    [null, null],
  ],
  'values null': [
    ['a', null],
    ['b', 1],
    ['c', null],
  ],
  zeros: [
    ['a', 0],
    ['b', 0],
    ['c', 0],
  ],
  negatives: [
    ['a', -1],
    ['b', -2],
    ['c', 3],
    ['d', -4],
  ],
  'all negative': [
    ['a', -1],
    ['b', -2],
    ['c', -3],
  ],
  'repeated labels': [
    ['a', 1],
    ['a', 2],
    ['b', 3],
    ['a', 4],
    ['c', null],
  ],
  'names of objects': ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length'].map((name, index) => [
    name,
    index + 1,
  ]),
  markup: [
    [nasty, 1],
    [`${nasty}2`, 2],
    ['{a|b}', 3],
  ],
  'control characters': [
    ['\u0000\ud800', 1],
    ['\n', 2],
    [']]>', 3],
  ],
  'huge numbers': [
    ['a', '99999999999999999999999999'],
    ['b', '1e300'],
    ['c', '-1e300'],
    ['d', '1e-300'],
    ['e', '1e999'],
  ],
  'many scripts': [
    ['المبيعات', 1],
    ['ירושלים', 2],
    ['東京', 3],
    ['👩‍👩‍👧‍👦', 4],
  ],
  'long labels': Array.from({ length: 30 }, (_, index) => ['word '.repeat(100) + index, index]),
  'mixed types': [
    [true, '1'],
    [12, true],
    [{ a: [1] }, 'x'],
    [[1], {}],
  ],
  'far times': [
    ['0001-01-01', 1],
    ['9999-12-31', 2],
    ['2026-01-01', 3],
  ],
  'one moment': Array.from({ length: 20 }, () => ['2026-01-01T10:00:00Z', 3]),
  'same values': Array.from({ length: 20 }, (_, index) => [`l${index}`, 5]),
};

const labelColumns = [
  { class: 'categorical', nature: 'text' },
  { class: 'categorical', nature: 'time' },
  { class: 'numeric', nature: 'number' },
  { class: 'numeric', nature: 'id' },
] as const;

const looks = [{}, { showDataLabels: true, showLegend: false, barOrientation: 'horizontal', theme: 'dark' }] as const;

describe.each(chartTypes)('a $name', ({ type }) => {
  it.each(Object.keys(tables))('draws %s or shows a message', (name) => {
    // text in both looks, and another nature in one of them; they change from table to table and from type to type
    const at = Object.keys(tables).indexOf(name) + chartTypes.findIndex((each) => each.type === type);
    const [text, ...others] = labelColumns;
    for (const label of [text, others[at % others.length] ?? text]) {
      for (const look of label === text ? looks : [looks[Math.floor(at / others.length) % looks.length]]) {
        const chart = buildTestChart(type, tables[name] ?? [], { title: nasty, label, ...look });
        const svg = chartSvg(chart, { width: 800, theme: 'light' });
        expect(() => new Resvg(svg, { font: { loadSystemFonts: false } })).not.toThrow(); // well-formed XML
        expect(svg).not.toMatch(/<img|<script|NaN|undefined|\[object/);
        expect(chart.empty).toBe(chart.drawn === 0);
        expect(chart.description).not.toBe('');
      }
    }
  });

  it('fits surfaces of any size', () => {
    for (const [width, chartHeight] of [
      [0, 100],
      [200, 100],
      [320, 4000],
      [4000, 100],
    ] as const) {
      const config = { ...chartConfigDefaults, chartType: type, labelColumn: 'Label', dataColumn: 'Value', chartHeight };
      for (const legendPosition of ['top', 'bottom', 'left', 'right'] as const) {
        const chart = buildTestChart(type, tables['same values'] ?? [], { ...config, legendPosition, surface: { width } });
        expect(chartSvg(chart, { width: Math.max(1, width), theme: 'light' })).not.toMatch(/NaN|(?:width|height|r)="-/);
      }
    }
  });

  it('escapes markup in tooltips', () => {
    const chart = buildTestChart(type, [
      [nasty, 5],
      [nasty, 6],
      ['b', 7],
      ['c', 8],
      ['d', 9],
    ]);
    const formatter = readPath(chart.option, 'tooltip', 'formatter');
    const item = { dataIndex: type === 'treemap' ? 1 : 0, seriesName: nasty.replaceAll('\n', ' '), seriesType: 'boxplot' };
    const trigger = readPath(chart.option, 'tooltip', 'trigger');
    const html = formatWith(formatter, trigger === 'axis' ? [item] : item);
    expect(html).toMatch(/<div class="chart-tip"/);
    expect(html).not.toMatch(/<img|<script|style=/);
  });

  it('draws 5,000 rows', () => {
    const cells: Cells = Array.from({ length: 5000 }, (_, index) => [`l${index}`, Math.sin(index) * 100 + 50]);
    const chart = buildTestChart(type, cells);
    expect(chart.empty).toBe(false);
    expect(chart.drawn).toBeGreaterThan(0);
  });
});

describe('every chart', () => {
  const columns = [
    { name: 'Region', class: 'categorical' },
    { name: 'Revenue', class: 'numeric' },
  ] as const;
  const config = { ...chartConfigDefaults, chartType: 'bar', labelColumn: 'Region', dataColumn: 'Revenue' } as const;
  const surface = { width: 800, theme: 'light' } as const;

  it('names a missing column', () => {
    const chart = buildFromRows(columns, [{ Region: 'a', Revenue: 1 }], { ...config, dataColumn: 'Turnover' }, surface);
    expect(chart.empty).toBe(true);
    expect(chart.description).toContain('no column “Turnover”');
  });

  it('reports that there are no rows', () => {
    expect(buildFromRows(columns, [], config, surface).description).toContain('returned no rows');
  });

  it.each(chartTypes)('reports that nothing can be drawn as $type, and why', ({ type: chartType }) => {
    const chart = buildFromRows(columns, [{ Region: 'a', Revenue: 'x' }], { ...config, chartType }, surface);
    expect(chart.empty).toBe(true);
    expect(chart.description).toContain('“Revenue” has no numeric values.');
    expect(chart.notes).toEqual(['1 value of “Revenue” is not a number.']);
  });

  it('draws a column against itself', () => {
    const chart = buildFromRows(columns, [{ Revenue: 5 }, { Revenue: 7 }], { ...config, labelColumn: 'Revenue' }, surface);
    expect(readPath(chart.option, 'xAxis', 'data')).toEqual(['5', '7']);
    expect(readPath(chart.option, 'series', 0, 'data')).toEqual([5, 7]);
  });

  it('has a description for screen readers', () => {
    const chart = buildTestChart(
      'bar',
      [
        ['a', 1],
        ['a', 2],
        ['b', 30_000],
      ],
      { title: 'Sums' },
    );
    expect(chart.description).toBe(
      'Bar Chart: Sums. Value by Label, 2 items. Lowest 3, highest 30,000. Sum of 3 rows by “Label”.',
    );
    expect(readPath(chart.option, 'aria', 'label', 'description')).toBe(chart.description);
  });

  it('does not modify Object.prototype, whatever a label says', () => {
    const names = ['__proto__', 'my constructor is', 'toString'];
    for (const { type } of chartTypes) {
      const cells = names.map((name, index) => [name, index + 1] as const);
      const chart = buildTestChart(type, cells, { title: '__proto__', showDataLabels: true, surface: { width: 200 } });
      chartSvg(chart, surface);
    }
    const inherited: string[] = [];
    for (const key in {}) inherited.push(key);
    expect(inherited).toEqual([]);
    expect(Object.keys(Object)).toEqual([]);
  });

  it('uses the configured animation speed', () => {
    const speed = (more: object) => {
      const { option } = buildTestChart('bar', [['a', 1]], more);
      return [option.animation, option.animationDuration];
    };
    expect(speed({})).toEqual([true, 800]);
    expect(speed({ animationSpeed: 200 })).toEqual([true, 200]);
    expect(speed({ animationSpeed: 0 })).toEqual([false, 0]);
    expect(speed({ enableAnimations: false })).toEqual([false, 0]);
  });

  it('adds patterns if configured, except in heatmaps and treemaps', () => {
    const decal = (patterns: boolean) =>
      readPath(buildTestChart('pie', [['a', 1]], { patterns }).option, 'aria', 'decal', 'show');
    expect([decal(true), decal(false)]).toEqual([true, false]);
    const shades = (['heatmap', 'treemap'] as const).map((type) => buildTestChart(type, [['a', 1]], { patterns: true }).option);
    expect(shades.map((option) => readPath(option, 'aria', 'decal', 'show'))).toEqual([false, false]);
  });

  it('zooms with Ctrl and the wheel, so that the page still scrolls', () => {
    for (const { type } of chartTypes) {
      const zooms = readPath(
        buildTestChart(type, [
          ['a', 1],
          ['b', 2],
          ['c', 3],
        ]).option,
        'dataZoom',
      );
      if (!Array.isArray(zooms)) continue;
      for (const zoom of zooms) expect(zoom).toMatchObject({ type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false });
      expect(
        readPath(
          buildTestChart(
            type,
            [
              ['a', 1],
              ['b', 2],
              ['c', 3],
            ],
            { enableZoom: false },
          ).option,
          'dataZoom',
        ),
      ).toEqual([]);
    }
  });

  it('places the legend as configured, or leaves it out', () => {
    const legend = (more: object) =>
      readPath(
        buildTestChart(
          'pie',
          [
            ['a', 1],
            ['b', 2],
          ],
          more,
        ).option,
        'legend',
      );
    expect(legend({ legendPosition: 'left' })).toMatchObject({ orient: 'vertical', left: expect.any(Number) });
    expect(legend({ legendPosition: 'right' })).toMatchObject({ orient: 'vertical', right: expect.any(Number) });
    expect(legend({ legendPosition: 'top' })).toMatchObject({ top: expect.any(Number), left: 'center' });
    expect(legend({ legendPosition: 'bottom' })).toMatchObject({ bottom: 12, left: 'center' });
    expect(legend({ showLegend: false })).toEqual({ show: false });
    expect(legend({ legendPosition: 'right', surface: { width: 320 } })).toMatchObject({ bottom: 12 });
  });
});
