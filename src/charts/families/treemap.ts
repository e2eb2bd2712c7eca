import { wordJoiner } from '../cell-values.ts';
import { nothingAboveZeroMessage, partsOfWhole } from '../labeled-values.ts';
import { headHeight } from '../option/frame.ts';
import { blend, colorAt, inkOn } from '../option/theme.ts';
import { itemTooltip, tipHtml } from '../option/tooltip.ts';
import { extentOf, sumOf } from '../points.ts';
import type { ChartFamily, Option } from '../scene.ts';
import { clip, textLines, textWidth } from '../text-width.ts';

const maxLeaves = 120;
const fewLeaves = 9; // each has its own color
const gap = 3; // px between leaves
const ratio = 1.4; // of the sides of a leaf, which ECharts aims at
const leastArea = 60; // px²; smaller leaves are not drawn

export const treemap: ChartFamily = (scene) => {
  const parts = partsOfWhole(scene, maxLeaves, (share) => share <= 0.4); // a larger group would hide the rest
  if (parts.points.length === 0) return nothingAboveZeroMessage(scene);

  const { formats, theme } = scene;
  const leaves = parts.points.toSorted((a, b) => b.value - a.value);
  const few = leaves.length <= fewLeaves;
  const total = sumOf(leaves);
  const values = leaves.map(({ value }) => value);
  const { high } = extentOf(values);
  const [low, top] = theme.leaf;
  const { factor, x, y } = scene.zoom;
  const plot = { width: Math.max(0, scene.width - 32), height: Math.max(0, scene.height - headHeight(scene) - 20) };
  const [width, height] = [plot.width * factor, plot.height * factor];
  const sizes = leafSizes(values, width, height);
  const figure = formats.figures({ low: 0, high }, values);
  const colors = leaves.map((leaf, index) => {
    if (leaf === parts.others) return theme.dark ? theme.axis : theme.others;
    return few ? colorAt(theme, index) : blend(low, top, Math.sqrt(leaf.value / high));
  });

  return {
    drawn: leaves.length,
    notes: parts.notes,
    option: {
      legend: { show: false },
      tooltip: itemTooltip(scene, ({ dataIndex }) => {
        const leaf = leaves[dataIndex - 1]; // the first node is the root
        if (!leaf) return '';
        return tipHtml(leaf.label, [
          [scene.data, formats.full(leaf.value), colors[dataIndex - 1]],
          ['Share', formats.share(leaf.value, total)],
        ]);
      }),
      series: [
        {
          type: 'treemap',
          name: scene.data,
          left: 16 + (plot.width - width) / 2 + x,
          top: headHeight(scene) + 4 + (plot.height - height) / 2 + y,
          width,
          height,
          roam: false,
          nodeClick: false,
          breadcrumb: { show: false },
          sort: 'desc',
          squareRatio: ratio,
          visibleMin: leastArea,
          itemStyle: { borderColor: theme.background, borderWidth: 0, gapWidth: gap, borderRadius: 4 },
          data: leaves.map(({ label, value }, index) => ({
            name: label,
            value,
            itemStyle: { color: colors[index] },
            label: leafLabel(label, figure(value), sizes[index] ?? nothing, inkOn(colors[index] ?? '#000000')),
          })),
        },
      ],
    },
  };
};

/** The name and the value as far as they fit. Only the value has a rich-text style, so that a name cannot imitate one. */
function leafLabel(name: string, value: string, leaf: Size, ink: string): Option {
  const padding = leaf.width < 72 ? 3 : 4;
  const inner = { width: leaf.width - padding - 1, height: leaf.height - 2 * padding };
  const shown = fontSizes.map((size) => ({ size, lines: linesIn(name, inner, size) })).find(({ lines }) => lines.length > 0);
  if (shown === undefined) return { show: false };
  const { size, lines } = shown;
  const hasValue = (lines.length + 1) * (size + 5) <= inner.height && textWidth(value, size) <= inner.width;
  const text = lines.join('\n').replaceAll('{', `{${wordJoiner}`);
  return {
    position: 'insideTopLeft',
    padding: [padding, 1, padding, padding],
    color: ink,
    fontSize: size,
    fontWeight: 600,
    lineHeight: size + 5,
    overflow: 'truncate', // where a font is wider than Inter
    ellipsis: '…',
    formatter: () => (hasValue ? `${text}\n{value|${value}}` : text),
    rich: { value: { fontSize: size, fontWeight: 400, color: ink, lineHeight: size + 4 } },
  };
}

const fontSizes = [12, 11];
const boldness = 1.07; // how much wider a bold text is
const leastLetters = 4; // of a shortened name

/** The lines of a name in a leaf; none if it does not fit. Only a name that keeps some letters is shortened. */
function linesIn(name: string, { width, height }: Size, size: number): readonly string[] {
  const widthOf = (text: string): number => textWidth(text, size) * boldness;
  const most = Math.floor(height / (size + 5));
  const lines = textLines(clip(name, 60), width / boldness, size);
  if (lines.length <= most && lines.every((line) => widthOf(line) <= width)) return lines;
  const letters = Array.from({ length: 30 }, (_, at) => 30 - at).find((count) => widthOf(clip(name, count)) <= width) ?? 0;
  return most >= 1 && size === 11 && letters > leastLetters ? [clip(name, letters)] : [];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const nothing: Size = { width: 0, height: 0 };

/** The sizes of the leaves, as ECharts lays them out (squarified), because a label cannot ask for the size of its leaf. */
export function leafSizes(values: readonly number[], width: number, height: number): readonly Size[] {
  const rest = { width: width + gap, height: height + gap };
  const order = [...values.keys()].sort((a, b) => valueAt(b) - valueAt(a) || b - a);
  const whole = rest.width * rest.height;
  let total = values.reduce((sum, value) => sum + value, 0);
  while (order.length > 0 && (valueAt(order.at(-1)) / total) * whole < leastArea) total -= valueAt(order.pop());
  const sizes = values.map(() => nothing);
  const areaOf = (leaf: number): number => (valueAt(leaf) / total) * whole;
  const areaOfRow = (row: readonly number[]): number => row.reduce((sum, leaf) => sum + areaOf(leaf), 0);
  const worstRatio = (row: readonly number[], side: number): number => {
    const areas = row.map(areaOf);
    const [square, scaled] = [areaOfRow(row) ** 2, side ** 2 * ratio];
    return Math.max((scaled * Math.max(...areas)) / square, square / (scaled * Math.min(...areas)));
  };
  function valueAt(leaf: number | undefined): number {
    return values[leaf ?? -1] ?? 0;
  }
  /** Fills the shorter side of what is left with a row of leaves. */
  const place = (row: readonly number[], isLast: boolean): void => {
    const [along, across] = rest.width <= rest.height ? (['width', 'height'] as const) : (['height', 'width'] as const);
    const depth = isLast ? rest[across] : Math.min(rest[across], areaOfRow(row) / rest[along]);
    for (const leaf of row) {
      const size = { [along]: areaOf(leaf) / depth - gap, [across]: depth - gap };
      sizes[leaf] = { width: Math.max(0, size.width ?? 0), height: Math.max(0, size.height ?? 0) };
    }
    rest[across] -= depth;
  };
  let row: number[] = [];
  for (const leaf of order) {
    const side = Math.min(rest.width, rest.height);
    if (row.length > 0 && worstRatio([...row, leaf], side) > worstRatio(row, side)) {
      place(row, false);
      row = [];
    }
    row.push(leaf);
  }
  if (row.length > 0) place(row, true);
  return sizes;
}
