import { describe, expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart, formatWith } from '../../../test/support/results/build-test-chart.ts';
import { chartSvg } from '../svg/chart-svg.ts';

describe('a bar chart', () => {
  it('adds up rows with the same label and notes it', () => {
    const { option, notes, drawn } = buildTestChart('bar', [
      ['a', 1],
      ['b', 2],
      ['a', 3],
    ]);
    expect(readPath(option, 'xAxis', 'data')).toEqual(['a', 'b']);
    expect(readPath(option, 'series', 0, 'data')).toEqual([4, 2]);
    expect(notes).toEqual(['Sum of 3 rows by “Label”.']);
    expect(drawn).toBe(2);
  });

  it('shows all of up to five labels at any width', () => {
    const names = [
      ['No', 'Yes'],
      ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'],
      alphabet(5).map(([name]) => name),
    ];
    const widths = Array.from({ length: 30 }, (_, step) => 200 + 41 * step);
    const hidden = widths.flatMap((width) =>
      names.flatMap((labels) => {
        const surface = { width, theme: 'light', still: true } as const;
        const built = buildTestChart(
          'bar',
          labels.map((label, index) => [label, 1000 - index]),
          { surface },
        );
        const shown = chartSvg(built, surface).replaceAll(/<[^>]*>/g, '|');
        const fit = readPath(built.option, 'xAxis', 'axisLabel', 'formatter');
        const axis = [readPath(built.option, 'xAxis', 'data')].flat();
        return axis.filter(
          (label) =>
            !formatWith(fit, label)
              .split('\n')
              .every((line) => shown.includes(`|${line}|`)),
        );
      }),
    );
    expect(hidden).toEqual([]);
  });

  it('has the first bar on top when horizontal', () => {
    const { option } = buildTestChart('bar', alphabet(3), { barOrientation: 'horizontal' });
    expect(readPath(option, 'yAxis')).toMatchObject({ type: 'category', inverse: true, data: ['Label 1', 'Label 2', 'Label 3'] });
    expect(readPath(option, 'xAxis', 'type')).toBe('value');
  });

  it('grows to show every label beside horizontal bars, and slides beyond the largest height', () => {
    const height = (count: number, more: object = {}) =>
      buildTestChart('bar', alphabet(count), { barOrientation: 'horizontal', allLabels: true, ...more }).height;
    expect([height(15), height(15, { chartHeight: 100 }) > 240, height(60) > 960, height(5000)]).toEqual([400, true, true, 4000]);
    const still = buildTestChart('bar', alphabet(5000), {
      barOrientation: 'horizontal',
      allLabels: true,
      surface: { still: true },
    });
    expect(still.notes).toEqual([expect.stringMatching(/^The first 24\d of 5,000 labels are shown\.$/)]);
    expect(readPath(still.option, 'yAxis', 'data')).toHaveLength(still.drawn);
  });

  it('shows as many bars as fit, with a slider for the rest, and every bar in a picture', () => {
    const ends = (count: number, more: object = {}) => {
      const zooms = readPath(buildTestChart('bar', alphabet(count), { allLabels: true, ...more }).option, 'dataZoom');
      return Array.isArray(zooms) ? zooms.map(({ type, end }) => `${type} ${end}`) : [];
    };
    expect(ends(60)).toEqual(['inside 100']);
    expect(ends(80)).toEqual(['inside 50', 'slider 50']);
    expect(ends(80, { surface: { still: true } })).toEqual(['inside 100']);
    expect(ends(200, { barOrientation: 'horizontal' })).toEqual(['inside 100']);
    expect(ends(482, { barOrientation: 'horizontal' })).toEqual(['inside 50', 'slider 50']);
    expect(ends(482, { barOrientation: 'horizontal', enableZoom: false })).toEqual(['slider 50']); // every label can be read
    expect(ends(80, { enableZoom: false })).toEqual([]);
  });

  it('shows the 20 largest of more than 50 labels, and combines the others as the last bar', () => {
    for (const aggregate of ['sum', 'none', 'count', 'average'] as const) {
      const { option, notes } = buildTestChart('bar', alphabet(60), { aggregate, sortBy: 'value' });
      const labels = readPath(option, 'xAxis', 'data') as readonly string[];
      expect([labels.length, labels.at(-1)]).toEqual([21, 'Others (40)']);
      const values = readPath(option, 'series', 0, 'data') as readonly number[];
      expect(values.at(-1)).toBe({ sum: 820, none: 820, count: 40, average: 20.5 }[aggregate]);
      expect(notes).toEqual(['The largest labels are shown; 40 smaller ones are combined as “Others (40)”.']);
    }
    expect(readPath(buildTestChart('bar', alphabet(50)).option, 'xAxis', 'data')).toHaveLength(50);
  });

  it('uses the configured bar width', () => {
    expect(readPath(buildTestChart('bar', alphabet(3), { barWidth: 35 }).option, 'series', 0, 'barWidth')).toBe('35%');
    expect(readPath(buildTestChart('bar', alphabet(3), { barWidth: 400 }).option, 'series', 0, 'barWidth')).toBe('100%');
  });

  it('rounds negative bars at the lower end', () => {
    const { option } = buildTestChart('bar', [
      ['a', -5],
      ['b', 5],
      ['c', null],
    ]);
    expect(readPath(option, 'series', 0, 'data', 0)).toMatchObject({ value: -5, label: { position: 'bottom' } });
    expect(readPath(option, 'series', 0, 'data', 1)).toBe(5);
    expect(readPath(option, 'series', 0, 'data', 2)).toBe('-');
  });

  it('shows data labels and grid lines if configured', () => {
    const { option } = buildTestChart('bar', [['a', 412_500]], { showDataLabels: true, showGrid: false });
    expect(readPath(option, 'series', 0, 'label', 'show')).toBe(true);
    expect(formatWith(readPath(option, 'series', 0, 'label', 'formatter'), { dataIndex: 0 })).toBe('413K');
    expect(readPath(option, 'yAxis', 'splitLine', 'show')).toBe(false);
  });

  it('turns labels that are wider than the distance of their bars', () => {
    const turn = (count: number, more: object = {}) =>
      readPath(buildTestChart('bar', alphabet(count), { showDataLabels: true, ...more }).option, 'series', 0, 'label', 'rotate');
    expect([turn(10), turn(50), turn(50, { barOrientation: 'horizontal' })]).toEqual([undefined, 90, undefined]);
  });

  it('shortens times as long as they stay distinct', () => {
    const labels = (times: readonly string[]) =>
      readPath(
        buildTestChart(
          'bar',
          times.map((time) => [time, 1]),
          { label: { nature: 'time' }, timeUnit: 'none' },
        ).option,
        'xAxis',
        'data',
      );
    expect(labels(['2026-01-05', '2026-02-06'])).toEqual(['Jan 5', 'Feb 6']);
    expect(labels(['2025-01-05', '2026-02-06'])).toEqual(['Jan 5, 2025', 'Feb 6, 2026']);
    expect(labels(['2026-01-01', '2026-02-01'])).toEqual(['Jan 2026', 'Feb 2026']);
    expect(labels(['2025-01-01', '2026-01-01'])).toEqual(['2025', '2026']);
    expect(labels(['2026-01-01T08:00:00', '2026-01-01T09:30:00'])).toEqual(['Jan 1 08:00', '09:30']);
  });
});
