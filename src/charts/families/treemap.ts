import { wordJoiner } from '../cell-values.ts';
import { nothingAboveZero, partsOfWhole } from '../labelled-values.ts';
import { headHeight } from '../option/frame.ts';
import { blend, colourAt, inkOn } from '../option/theme.ts';
import { itemTooltip, tipHtml } from '../option/tooltip.ts';
import { extentOf, sumOf } from '../points.ts';
import type { ChartFamily, Option } from '../scene.ts';
import { clip } from '../text-width.ts';

const maxLeaves = 120;
const fewLeaves = 9; // each has its own colour
const valuesUpTo = 40; // leaves; smaller ones have no room
const shortestSide = 38; // px; a name in less would be a few letters

export const treemap: ChartFamily = (scene) => {
  const parts = partsOfWhole(scene, maxLeaves, (share) => share <= 0.4); // a larger group would hide the rest
  if (parts.points.length === 0) return nothingAboveZero(scene);

  const { config, formats, theme } = scene;
  const leaves = parts.points.toSorted((a, b) => b.value - a.value);
  const few = leaves.length <= fewLeaves;
  const total = sumOf(leaves);
  const { high } = extentOf(leaves.map(({ value }) => value));
  const [low, top] = theme.leaf;
  const size = leaves.length > 50 ? 11 : 12;
  const withValues = config.showDataLabels || leaves.length <= valuesUpTo;
  const area = Math.max(0, scene.width - 32) * Math.max(0, scene.height - headHeight(scene) - 20);
  const sideOf = (value: number): number => Math.sqrt((value / total) * area); // px of a leaf, if it is a square
  const figure = formats.figures({ low: 0, high }, leaves.at(-1)?.value);
  const colours = leaves.map((leaf, index) => {
    if (leaf === parts.others) return theme.dark ? theme.axis : theme.others;
    return few ? colourAt(theme, index) : blend(low, top, Math.sqrt(leaf.value / high));
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
          [scene.data, formats.full(leaf.value), colours[dataIndex - 1]],
          ['Share', formats.share(leaf.value, total)],
        ]);
      }),
      series: [
        {
          type: 'treemap',
          name: scene.data,
          left: 16,
          right: 16,
          top: headHeight(scene) + 4,
          bottom: 16,
          roam: false,
          nodeClick: false,
          breadcrumb: { show: false },
          sort: 'desc',
          squareRatio: 1.4,
          visibleMin: 60,
          itemStyle: { borderColor: theme.background, borderWidth: 0, gapWidth: 3, borderRadius: 4 },
          data: leaves.map(({ label, value }, index) => ({
            name: label,
            value,
            itemStyle: { color: colours[index] },
            label: leafLabel(
              sideOf(value) < shortestSide ? '' : label,
              withValues && sideOf(value) >= shortestSide + 10 ? figure(value) : '',
              colours[index] ?? '#000000',
              size,
            ),
          })),
        },
      ],
    },
  };
};

/** Only the value has a rich-text style, so that a name cannot imitate one. */
function leafLabel(name: string, value: string, colour: string, size: number): Option {
  const ink = inkOn(colour);
  const text = clip(name, 30).replaceAll('{', `{${wordJoiner}`);
  return {
    show: name !== '',
    position: 'insideTopLeft',
    padding: size === 12 ? 4 : 1,
    color: ink,
    fontSize: size,
    fontWeight: 600,
    lineHeight: size + 6,
    overflow: 'truncate',
    formatter: () => (value ? `${text}\n{value|${value}}` : text),
    rich: { value: { fontSize: size, fontWeight: 400, color: ink, lineHeight: size + 4 } },
  };
}
