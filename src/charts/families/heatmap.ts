import { gridOf } from '../option/axes.ts';
import { type Frame, frameFor, headHeight } from '../option/frame.ts';
import { inkOn, onRamp } from '../option/theme.ts';
import { itemTooltip, pointTip } from '../option/tooltip.ts';
import { extentOf } from '../points.ts';
import type { ChartFamily, Option, Scene } from '../scene.ts';
import { clip } from '../text-width.ts';
import { type Cell, cellsOf } from './heatmap-cells.ts';

export const heatmap: ChartFamily = (scene) => {
  const { config, formats, theme } = scene;
  const frame = frameFor(scene, ['888,888']);
  const { cells, columns, lines, tiles, notes } = cellsOf(scene, frame.width / frame.height);
  const scale = scaleOf(scene, cells);
  const [width, height] = [(frame.width - (tiles ? 0 : 40)) / columns.length, frame.height / lines.length];
  const named = tiles && width > 54 && height > 26; // tiles have no axis, so their name is inside
  const texted = (tiles && height > 40) || config.showDataLabels;
  const text = ({ label, value }: Cell): string => {
    const figure = value === null ? '' : formats.short(value);
    if (!named) return figure;
    return [clip(label, Math.max(4, Math.floor(width / 6.2))), ...(texted && figure ? [figure] : [])].join('\n');
  };

  return {
    drawn: cells.length,
    notes,
    option: {
      legend: { show: false },
      grid: gridOf(frame, {
        top: frame.top + (tiles ? 0 : 4),
        right: frame.right,
        bottom: frame.bottom + (frame.legendAt === 'bottom' ? 8 : 0),
      }),
      xAxis: { ...axis(scene, columns, !tiles) },
      yAxis: { ...axis(scene, lines, !tiles), inverse: true },
      visualMap: ramp(scene, frame, scale),
      tooltip: itemTooltip(
        scene,
        pointTip(scene, cells, (index) => colourOf(scale, cells[index]?.value ?? scale.low)),
      ),
      series: [
        {
          type: 'heatmap',
          name: scene.data,
          data: cells.map(({ column, line, value }) => ({
            value: [column, line, value ?? '-'],
            label: { color: value === null ? theme.muted : inkOn(colourOf(scale, value)) },
          })),
          itemStyle: { borderColor: theme.background, borderWidth: width > 12 ? 2 : 1, borderRadius: width > 24 ? 4 : 2 },
          label: {
            show: named || (config.showDataLabels && width > 34 && height > 16),
            fontSize: 11,
            lineHeight: 15,
            width: width - 10,
            overflow: 'truncate',
            formatter: ({ dataIndex }: { readonly dataIndex: number }) => {
              const cell = cells[dataIndex];
              return cell ? text(cell) : '';
            },
          },
          emphasis: { itemStyle: { borderColor: theme.text, borderWidth: 1 } },
        },
      ],
    },
  };
};

interface Scale {
  readonly low: number;
  readonly high: number;
  readonly colours: readonly string[];
}

/** For mixed signs, a diverging scale centred at zero. */
function scaleOf({ theme }: Scene, cells: readonly Cell[]): Scale {
  const { low, high } = extentOf(cells.flatMap(({ value }) => value ?? []));
  if (low < 0 && high > 0) {
    const reach = Math.max(-low, high);
    return { low: -reach, high: reach, colours: theme.diverging };
  }
  if (low === high) return { low: Math.min(0, low), high: high > 0 ? high : low + 1, colours: theme.ramp };
  return { low, high, colours: theme.ramp };
}

const colourOf = ({ low, high, colours }: Scale, value: number): string => onRamp(colours, (value - low) / (high - low));

const axis = ({ theme, width }: Scene, names: readonly string[], show: boolean): Option => ({
  type: 'category',
  data: names,
  show,
  axisTick: { show: false },
  axisLine: { show: false },
  splitArea: { show: false },
  axisLabel: {
    color: theme.muted,
    fontSize: 11,
    hideOverlap: true,
    width: Math.min(width * 0.25, 170),
    overflow: 'truncate',
    formatter: (name: string) => clip(name, 26),
  },
});

function ramp(scene: Scene, frame: Frame, { low, high, colours }: Scale): Option {
  const { formats, theme } = scene;
  const vertical = frame.legendAt === 'left' || frame.legendAt === 'right';
  return {
    type: 'continuous',
    min: low,
    max: high,
    calculable: false,
    show: frame.legendAt !== null,
    inRange: { color: colours },
    orient: vertical ? 'vertical' : 'horizontal',
    itemWidth: 10,
    itemHeight: vertical ? Math.min(frame.height * 0.6, 160) : 160,
    text: [formats.short(high), formats.short(low)],
    textGap: 8,
    textStyle: { color: theme.muted, fontSize: 11 },
    ...(frame.legendAt === 'top' ? { left: 'center', top: headHeight(scene) - 4 } : {}),
    ...(frame.legendAt === 'bottom' ? { left: 'center', bottom: 12 } : {}),
    ...(frame.legendAt && vertical ? { [frame.legendAt]: 20, top: 'middle' } : {}),
  };
}
