import type { Point } from '../points.ts';
import type { Option, Scene } from '../scene.ts';
import type { Aligned } from '../series.ts';
import { colorAt } from './theme.ts';

/** A name, its value and optionally the color of its mark. */
export type TipLine = readonly [name: string, value: string, color?: string | undefined];

/** The used part of the formatter argument of ECharts. */
export interface Hovered {
  readonly dataIndex: number;
  readonly seriesName?: string;
  readonly seriesIndex?: number;
  readonly seriesType?: string;
}

/** Styles for pages with a chart: tooltips use classes, because a strict content security policy drops style attributes. */
export const tooltipCss = `.chart-tip{max-width:320px;white-space:normal;overflow-wrap:anywhere}
.chart-tip-head{font-weight:600;margin-bottom:4px}
.chart-tip-line{display:flex;gap:16px;justify-content:space-between}
.chart-tip-line svg{margin-inline-end:6px}
.chart-tip-line b{font-variant-numeric:tabular-nums}`;

export function tipHtml(head: string, lines: readonly TipLine[]): string {
  const line = ([name, value, color]: TipLine): string =>
    `<div class="chart-tip-line"><span>${color ? swatch(color) : ''}<bdi>${escapeHtml(name)}</bdi></span><b>${escapeHtml(value)}</b></div>`;
  return `<div class="chart-tip"><div class="chart-tip-head" dir="auto">${escapeHtml(head)}</div>${lines.map(line).join('')}</div>`;
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** A tooltip per mark. */
export const itemTooltip = ({ theme }: Scene, html: (hovered: Hovered) => string): Option => ({
  trigger: 'item',
  confine: true,
  backgroundColor: theme.tip,
  borderColor: theme.tipBorder,
  borderWidth: 1,
  padding: [8, 12],
  textStyle: { color: theme.text, fontSize: 12 },
  extraCssText: 'border-radius:8px;box-shadow:0 4px 16px rgba(15,23,42,.12)',
  formatter: html,
});

/** A tooltip for the position of the pointer along the axis. */
export const axisTooltip = (scene: Scene, axisPointer: Option, html: (hovered: Hovered) => string): Option => ({
  ...itemTooltip(scene, html),
  trigger: 'axis',
  axisPointer,
  formatter: ([first]: readonly Hovered[]) => (first ? html(first) : ''),
});

/** The label, and the value with the color of its mark. */
export const valueTip = (scene: Scene, head: string, value: number | null, color: string): string =>
  tipHtml(head, [[scene.data, scene.formats.full(value), color]]);

/** The values of all series at one label, with their total or, if they are shares, their percentages. */
export const seriesTip =
  (scene: Scene, { labels, series }: Aligned, shares: Aligned | null) =>
  ({ dataIndex }: Hovered): string => {
    const label = labels[dataIndex];
    if (label === undefined) return '';
    const { formats, theme, config } = scene;
    const lines = series.map(({ name, values }, index): TipLine => {
      const share = shares?.series[index]?.values[dataIndex];
      const text = (scene.series[index]?.full ?? formats.full)(values[dataIndex] ?? null);
      return [name, share == null ? text : `${text} (${formats.share(share, 100)})`, colorAt(theme, index)];
    });
    const isSum = config.stacked !== 'none' && series.length > 1;
    const total = series.reduce((sum, { values }) => sum + (values[dataIndex] ?? 0), 0);
    return tipHtml(label.label, isSum ? [...lines, ['Total', formats.full(total)]] : lines);
  };

/** The tooltip for marks that are one point each. */
export const pointTooltip = (
  scene: Scene,
  points: readonly Pick<Point, 'label' | 'value'>[],
  colorOf: (index: number) => string,
): Option =>
  itemTooltip(scene, ({ dataIndex }) => {
    const point = points[dataIndex];
    return point ? valueTip(scene, point.label, point.value, colorOf(dataIndex)) : '';
  });

const swatch = (color: string): string =>
  `<svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="3" fill="${escapeHtml(color)}"/></svg>`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
