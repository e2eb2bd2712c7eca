import { expect, it } from 'vitest';
import { buildTestChart } from '../../../test/support/results/build-test-chart.ts';
import { chartTypes } from '../../core/chart-config.ts';
import { chartSvg } from './chart-svg.ts';

const cells = ['a', 'b', 'c', 'd'].map((label, index) => [label, index + 1] as const);
const svgOf = (type: (typeof chartTypes)[number]['type'], more: object = {}) =>
  chartSvg(buildTestChart(type, cells, more), { width: 800, theme: 'light' });

it('is an image with an accessible name', () => {
  const svg = svgOf('bar', { title: 'Costs & "gains" $& <b>' });
  const name = 'Bar Chart: Costs &amp; &quot;gains&quot; $&amp; &lt;b&gt;. Value by Label, 4 items. Lowest 1, highest 4.';
  expect(svg).toMatch(/^<svg role="img" aria-label="/);
  expect(svg).toContain(`aria-label="${name}"`);
  expect(svg).toContain(`<title>${name}</title>`);
});

it('has no external references and no inline styles', () => {
  for (const { type } of chartTypes) {
    const svg = svgOf(type, { patterns: true, showDataLabels: true });
    expect(svg).not.toMatch(/<style|style="|class="|<script|\son\w+=|ecmeta|<foreignObject/);
    expect(svg.match(/(?:href|src)="(?!#)[^"]*"|url\((?!#)[^)]*\)|https?:[^"]*/g) ?? []).toEqual([
      'http://www.w3.org/2000/svg',
      'http://www.w3.org/1999/xlink',
    ]);
  }
});

it('is deterministic', () => {
  for (const { type } of chartTypes) expect(svgOf(type)).toBe(svgOf(type));
});

it('has the background of its theme', () => {
  const ground = (theme: 'light' | 'dark') => chartSvg(buildTestChart('bar', cells), { width: 800, theme });
  expect(ground('light')).toContain('fill="#ffffff"');
  expect(ground('dark')).toContain('fill="#16181d"');
});
