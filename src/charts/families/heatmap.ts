import type { Formats } from '../formats.ts';
import { notes } from '../notes.ts';
import { type Figure, gridOf } from '../option/axes.ts';
import { categoryAxis } from '../option/category-axis.ts';
import { type Frame, frameFor, headHeight } from '../option/frame.ts';
import { inkOn, onRamp } from '../option/theme.ts';
import { pointTooltip } from '../option/tooltip.ts';
import { zoomInside } from '../option/zoom.ts';
import { extentOf, makeDistinct, type Point } from '../points.ts';
import type { ChartFamily, Option, Scene } from '../scene.ts';
import { alignSeries, hasSeries } from '../series.ts';
import { clip, textWidth } from '../text-width.ts';

export const heatmap: ChartFamily = (scene) => {
  const { config, formats, theme } = scene;
  const frame = frameFor(scene, ['888,888']);
  const { cells, columns, monthNames, lines, tiles = false, notes: cellNotes = [] } = cellsOf(scene, frame.width / frame.height);
  const values = cells.flatMap(({ value }) => value ?? []);
  const scale = scaleOf(scene, values);
  const figure = formats.figures(scale, [scale.low, scale.high, ...(tiles || config.showDataLabels ? values : [])]);
  const [width, height] = [(frame.width - (tiles ? 0 : 40)) / columns.length, frame.height / lines.length];
  const besideWidth = Math.max(...lines.slice(0, 100).map((name) => textWidth(clip(name, 26), 11))) + 16;
  const named = tiles && width > 54 && height > 26; // tiles have no axis, so their name is inside
  const texted = (tiles && height > 40) || config.showDataLabels;
  const text = ({ label, value }: Cell): string => {
    const shown = value === null ? '' : figure(value);
    if (!named) return shown;
    return [clip(label, Math.max(4, Math.floor(width / 6.2))), ...(texted && shown ? [shown] : [])].join('\n');
  };

  return {
    drawn: cells.length,
    height: frame.chartHeight,
    notes: cellNotes,
    option: {
      legend: { show: false },
      grid: gridOf(frame, {
        top: frame.top + (tiles ? 0 : 4),
        right: frame.right,
        bottom: frame.bottom + (frame.legendAt === 'bottom' ? 8 : 0),
      }),
      xAxis:
        tiles || monthNames !== undefined
          ? axis(scene, columns, !tiles, monthNames && thinTexts(monthNames, width))
          : { ...categoryAxis(scene, frame, columns, columns.length, besideWidth), axisLine: { show: false } },
      yAxis: { ...axis(scene, lines, !tiles), inverse: true },
      dataZoom: [...zoomInside(scene, 'x'), ...zoomInside(scene, 'y')].map((zoom) => ({ ...zoom, filterMode: 'filter' })), // cells are not clipped
      visualMap: ramp(scene, frame, scale, figure),
      tooltip: pointTooltip(scene, cells, (index) => colorOf(scale, cells[index]?.value ?? scale.low)),
      series: [
        {
          type: 'heatmap',
          name: scene.data,
          data: cells.map(({ column, line, value }) => ({
            value: [column, line, value ?? '-'],
            label: { color: value === null ? theme.muted : inkOn(colorOf(scale, value)) },
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
  readonly colors: readonly string[];
}

/** For mixed signs, a diverging scale centered at zero. */
function scaleOf({ theme }: Scene, values: readonly number[]): Scale {
  const { low, high } = extentOf(values);
  if (low < 0 && high > 0) {
    const reach = Math.max(-low, high);
    return { low: -reach, high: reach, colors: theme.diverging };
  }
  if (low === high) return { low: Math.min(0, low), high: high > 0 ? high : low + 1, colors: theme.ramp };
  return { low, high, colors: theme.ramp };
}

const colorOf = ({ low, high, colors }: Scale, value: number): string => onRamp(colors, (value - low) / (high - low));

const axis = ({ theme, width }: Scene, names: readonly string[], show: boolean, texts?: readonly string[]): Option => ({
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
    ...(texts === undefined ? { width: Math.min(width * 0.25, 170), overflow: 'truncate' } : { interval: 0 }),
    formatter: (name: string) => (texts === undefined ? clip(name, 26) : (texts[names.indexOf(name)] ?? '')),
  },
});

/** Every month, or every second, third … if that is too close; none that would end beyond the edge. */
function thinTexts(texts: readonly string[], columnWidth: number): readonly string[] {
  const months = [...texts.keys()].filter((index) => texts[index] !== '');
  const middle = (index: number): number => (index + 0.5) * columnWidth;
  const halfWidth = (index: number): number => textWidth(texts[index] ?? '', 11) / 2;
  const fits = (kept: readonly number[]): boolean =>
    kept.every((index, at) => {
      const next = kept[at + 1];
      return next === undefined || middle(index) + halfWidth(index) + 6 <= middle(next) - halfWidth(next);
    });
  const steps = [1, 2, 3, 4, 6].map((step) => months.filter((_, at) => at % step === 0));
  const end = texts.length * columnWidth + 20;
  const shown = new Set((steps.find(fits) ?? months.slice(0, 1)).filter((index) => middle(index) + halfWidth(index) <= end));
  return texts.map((text, index) => (shown.has(index) ? text : ''));
}

function ramp(scene: Scene, frame: Frame, { low, high, colors }: Scale, figure: Figure): Option {
  const { theme } = scene;
  const vertical = frame.legendAt === 'left' || frame.legendAt === 'right';
  const text = [figure(high), figure(low)];
  const beside = text.reduce((sum, each) => sum + textWidth(each, 11) + 20, 0);
  return {
    type: 'continuous',
    min: low,
    max: high,
    calculable: false,
    show: frame.legendAt !== null,
    inRange: { color: colors },
    orient: vertical ? 'vertical' : 'horizontal',
    itemWidth: 10,
    itemHeight: vertical ? Math.min(frame.height * 0.6, 160) : Math.max(30, Math.min(160, scene.width - beside)),
    text,
    textGap: 8,
    textStyle: { color: theme.muted, fontSize: 11 },
    ...(frame.legendAt === 'top' ? { left: 'center', top: headHeight(scene) - 4 } : {}),
    ...(frame.legendAt === 'bottom' ? { left: 'center', bottom: 12 } : {}),
    ...(frame.legendAt && vertical ? { [frame.legendAt]: 20, top: 'middle' } : {}),
  };
}

interface Cell {
  readonly column: number;
  readonly line: number;
  readonly value: number | null;
  readonly label: string;
}

interface Cells {
  readonly cells: readonly Cell[];
  readonly columns: readonly string[]; // from left to right
  readonly monthNames?: readonly string[]; // instead of the columns' names; '' within a month
  readonly lines: readonly string[]; // from top to bottom
  readonly tiles?: true; // positions carry no meaning
  readonly notes?: readonly string[];
}

const day = 86_400_000;
const maxTiles = 600;
const maxLines = 40;
const maxInLine = 60;

/** Maps the labels to two axes: several series a line each, dates a calendar, repeated labels a line each, anything else tiles. */
function cellsOf(scene: Scene, aspect: number): Cells {
  const rows = scene.points;
  if (hasSeries(scene)) return labelsBySeries(scene);
  if (scene.labels === 'time') {
    const dated = rows.filter((point): point is DatedPoint => point.at !== null && point.value !== null);
    const days = new Set(dated.map(({ at }) => Math.floor(at / day)));
    if (days.size > 14) {
      const { low, high } = extentOf(days);
      return high - low > 400 ? monthsByYears(scene, dated) : weekdaysByWeeks(scene, dated);
    }
  }
  const names = [...new Set(rows.map(({ label }) => label))];
  return names.length < rows.length ? rowsOfLabels(scene, names) : asTiles(scene, aspect);
}

interface DatedPoint extends Point {
  readonly at: number;
  readonly value: number;
}

function weekdaysByWeeks({ formats }: Scene, points: readonly DatedPoint[]): Cells {
  const placed = points.map((point) => {
    const days = Math.floor(point.at / day);
    const weekday = (((days + 3) % 7) + 7) % 7; // 1 January 1970 was a Thursday; weeks start on Monday
    return { point, weekday, monday: days - weekday };
  });
  const { low, high } = extentOf(placed.map(({ monday }) => monday));
  const weeks = Array.from({ length: (high - low) / 7 + 1 }, (_, index) => low + index * 7);
  const found = placed.map(({ point, weekday, monday }) => ({
    column: (monday - low) / 7,
    line: weekday,
    value: point.value,
    label: formats.moment(Math.floor(point.at / day) * day, 'day'),
  }));
  return {
    cells: found,
    monthNames: weeks.map((monday, index) => monthOf(formats, monday, index === 0)),
    columns: makeDistinct(weeks.map((monday) => formats.monthDay(monday * day))),
    lines: Array.from({ length: 7 }, (_, index) => formats.weekday((index + 4) * day)),
  };
}

/** The name of the month at the week in which it starts. */
function monthOf(formats: Formats, monday: number, first: boolean): string {
  const [start, end] = [new Date(monday * day), new Date((monday + 6) * day)];
  if (end.getUTCDate() <= 7) return end.getUTCMonth() === 0 ? formats.monthOfYear(end.getTime()) : formats.month(end.getTime());
  return first && start.getUTCDate() < 15 ? formats.month(start.getTime()) : '';
}

function monthsByYears({ formats }: Scene, points: readonly DatedPoint[]): Cells {
  const { low, high } = extentOf(points.map(({ at }) => new Date(at).getUTCFullYear()));
  const found = points.map(({ at, value }) => {
    const date = new Date(at);
    return {
      column: date.getUTCMonth(),
      line: date.getUTCFullYear() - low,
      value,
      label: formats.monthOfYear(at),
    };
  });
  return {
    cells: found,
    columns: Array.from({ length: 12 }, (_, index) => formats.month(Date.UTC(2024, index, 1))),
    lines: Array.from({ length: high - low + 1 }, (_, index) => String(low + index)),
  };
}

/** The nth row of a label becomes the nth cell of its line. */
function rowsOfLabels({ points, formats }: Scene, names: readonly string[]): Cells {
  const lines = names.slice(0, maxLines);
  const lineOf = new Map(lines.map((name, index) => [name, index]));
  const filled = lines.map(() => 0);
  const cells: Cell[] = [];
  let longer = 0;
  for (const { label, value } of points) {
    const line = lineOf.get(label);
    if (line === undefined) continue;
    const column = filled[line] ?? 0;
    filled[line] = column + 1;
    if (column < maxInLine) cells.push({ column, line, value, label: `${label} · row ${formats.count(column + 1)}` });
    else longer = Math.max(longer, column + 1);
  }
  const columns = extentOf(cells.map(({ column }) => column)).high + 1;
  return {
    cells,
    columns: Array.from({ length: columns }, (_, index) => String(index + 1)),
    lines,
    notes: [
      ...(names.length > maxLines ? [notes.first(maxLines, names.length, 'labels')] : []),
      ...(longer > 0 ? [notes.firstOfEach(maxInLine, longer)] : []),
    ],
  };
}

function asTiles({ points }: Scene, aspect: number): Cells {
  const shown = points.slice(0, maxTiles);
  const wide = shown.length <= 6 ? shown.length : Math.ceil(Math.sqrt((shown.length * aspect) / 1.6));
  const columns = Math.max(1, Math.min(shown.length, wide));
  const indexes = (count: number) => Array.from({ length: count }, (_, index) => String(index));
  return {
    cells: shown.map(({ label, value }, index) => ({ column: index % columns, line: Math.floor(index / columns), value, label })),
    columns: indexes(columns),
    lines: indexes(Math.ceil(shown.length / columns)),
    tiles: true,
    notes: points.length > maxTiles ? [notes.first(maxTiles, points.length, 'rows')] : [],
  };
}

/** A column for each label, a line for each series. */
function labelsBySeries(scene: Scene): Cells {
  const { labels, series, notes: seriesNotes } = alignSeries(scene);
  const shown = labels.slice(0, maxInLine);
  return {
    cells: series.flatMap(({ name, values }, line) =>
      shown.map(({ label }, column) => ({ column, line, value: values[column] ?? null, label: `${label} · ${name}` })),
    ),
    columns: makeDistinct(shown.map(({ label }) => label)),
    lines: series.map(({ name }) => name),
    notes: labels.length > maxInLine ? [...seriesNotes, notes.first(maxInLine, labels.length, 'labels')] : seriesNotes,
  };
}
