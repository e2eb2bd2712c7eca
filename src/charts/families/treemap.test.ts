import { describe, expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart, type Cells } from '../../../test/support/results/build-test-chart.ts';
import type { BuiltChart } from '../built-chart.ts';
import { chartSvg } from '../svg/chart-svg.ts';
import { leafSizes } from './treemap.ts';

const rounded = (size: number) => Math.round(size * 10) / 10;

const names = (data: unknown) => (Array.isArray(data) ? data.map(({ name }) => name) : []);

describe('a treemap', () => {
  it('shows at most 120 leaves, and groups the others if they are a small part', () => {
    const steep: Cells = Array.from({ length: 200 }, (_, index) => [`l${index}`, 1e6 / (index + 1) ** 2]);
    expect(names(readPath(buildTestChart('treemap', steep).option, 'series', 0, 'data'))).toContain('Others (81)');
    const { option, notes } = buildTestChart(
      'treemap',
      Array.from({ length: 1000 }, (_, index) => [`l${index}`, 5] as const),
    );
    expect(readPath(option, 'series', 0, 'data')).toHaveLength(120);
    expect(notes).toEqual(['The 120 largest of 1,000 labels are shown: 12.0% of the total.']);
  });

  it('gives few leaves individual colors and many a color scale', () => {
    const colors = (count: number) => {
      const data = readPath(buildTestChart('treemap', alphabet(count)).option, 'series', 0, 'data');
      return new Set(Array.isArray(data) ? data.map(({ itemStyle }) => itemStyle.color) : []).size;
    };
    expect(colors(9)).toBe(9);
    expect(colors(10)).toBeGreaterThan(5);
  });

  it('computes the sizes of the leaves that ECharts draws', () => {
    const surface = { width: 380, theme: 'light' } as const;
    const drawn = (chart: BuiltChart) => {
      const paths = [
        ...chartSvg(chart, surface).matchAll(/<path d="M4 0L(\S+) 0A4 4 0 0 1 (\S+) 4L\S+ \S+A4 4 0 0 1 \S+ (\S+?)L/g),
      ];
      return new Set(paths.slice(1).map(([, , width, height]) => `${width} × ${height}`)); // the first is the root
    };
    const uneven: Cells = Array.from({ length: 30 }, (_, index) => [`Leaf ${index}`, Math.round(1000 / (index + 1))]);
    const equal: Cells = Array.from({ length: 11 }, (_, index) => [`Leaf ${index}`, index < 5 ? 7 : 3]);
    for (const cells of [uneven, equal, alphabet(12)]) {
      const chart = buildTestChart('treemap', cells, { surface });
      const height = 400 - Number(readPath(chart.option, 'series', 0, 'top')) - 16;
      const sizes = leafSizes(
        cells.map(([, value]) => Number(value)),
        380 - 32,
        height,
      );
      expect(new Set(sizes.map((size) => `${rounded(size.width)} × ${rounded(size.height)}`))).toEqual(drawn(chart));
    }
  });

  it('shows whole names, smaller ones in small leaves, and no name of a few letters', () => {
    const words = [
      'Keyboards',
      'Small appliances',
      'Cables',
      'Docks',
      'Spectrometers',
      'Drives',
      'Lamps',
      'Mice',
      'Webcams',
      'Cases',
    ];
    const cells: Cells = words.map((word, index) => [word, 1000 / (index + 1) ** 1.5]);
    for (const width of [240, 380, 800]) {
      const data = readPath(buildTestChart('treemap', cells, { surface: { width } }).option, 'series', 0, 'data');
      const labels = (Array.isArray(data) ? data : []).map(({ label }) => label);
      const texts = labels.filter(({ show }) => show !== false).map(({ formatter }) => String(formatter()).split('\n{value')[0]);
      for (const text of texts) {
        const name = text?.replaceAll('\n', ' ') ?? '';
        expect(words.some((word) => word === name || (name.length > 4 && word.startsWith(name.slice(0, -1))))).toBe(true);
      }
      expect(texts.length).toBeGreaterThan(width / 200);
      for (const { fontSize = 11 } of labels) expect(fontSize).toBeGreaterThanOrEqual(11);
    }
  });
});
