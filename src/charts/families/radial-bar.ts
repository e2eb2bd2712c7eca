import { wordJoiner } from '../cell-values.ts';
import { nothingAboveZeroMessage, partsOfWhole } from '../labeled-values.ts';
import { niceCeiling } from '../option/axes.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { colorAt } from '../option/theme.ts';
import { itemTooltip, valueTip } from '../option/tooltip.ts';
import { makeDistinct, extentOf, type ValuedPoint } from '../points.ts';
import { type ChartFamily, isNarrow, type Option, type Scene } from '../scene.ts';
import { clip } from '../text-width.ts';

const maxRings = 6;

/** One ring per label. The maximum is three quarters of a turn; the part of a ring up to it is gray. */
export const radialBar: ChartFamily = (scene) => {
  const { points: rings, notes } = partsOfWhole(scene, maxRings, () => false);
  if (rings.length === 0) return nothingAboveZeroMessage(scene);

  const { formats, theme } = scene;
  const names = makeDistinct(rings.map(({ label }) => label));
  const hole = rings.length > 4 ? 0.26 : 0.38; // of the radius
  const plotHeight = scene.height < 200 ? 0 : (2 * 14 * rings.length) / (1 - hole); // for the names of the rings
  // on a phone, a legend below would repeat the names at the rings
  const framed = isNarrow(scene) ? { ...scene, config: { ...scene.config, showLegend: false } } : scene;
  const frame = frameFor(framed, names, { shape: 'round', plotHeight });
  const values = rings.map(({ value }) => value);
  const { high } = extentOf(values);
  const percent = formats.kind === undefined && isPercent(scene.data, high);
  const isShare = formats.kind === 'percent' && high <= 1;
  const whole = percent ? 100 : isShare ? 1 : niceCeiling(high);
  const outer = scene.zoom.factor * Math.max(30, Math.min(frame.height, frame.width) / 2 - 4);
  const inner = outer * hole;
  const thickness = Math.min(((outer - inner) / rings.length) * 0.68, 22 * scene.zoom.factor);
  const ring = { type: 'bar', stack: 'ring', coordinateSystem: 'polar', barWidth: thickness, roundCap: true };
  const figure = formats.figures({ low: 0, high }, values);
  const valueText = (point: ValuedPoint | undefined): string => figure(point?.value ?? 0) + (percent ? '%' : '');

  return {
    drawn: rings.length,
    height: frame.chartHeight,
    notes,
    option: {
      legend: legendOf(scene, frame, names),
      polar: { center: frame.center, radius: [inner, outer] },
      angleAxis: { type: 'value', min: 0, max: whole, startAngle: 90, endAngle: -180, clockwise: true, ...bare },
      radiusAxis: {
        type: 'category',
        data: names,
        inverse: true,
        z: 10,
        ...bare,
        axisLabel: nameLabel(scene, (name) => valueText(rings[names.indexOf(name)])),
      },
      tooltip: itemTooltip(scene, ({ seriesName }) => {
        const index = names.indexOf(seriesName ?? '');
        const point = rings[index];
        return point ? valueTip(scene, point.label, point.value, colorAt(theme, index)) : '';
      }),
      series: [
        ...values.map((value, index) => ({
          ...ring,
          name: names[index],
          z: 3,
          data: values.map((_, other) => (other === index ? value : 0)),
          itemStyle: { color: colorAt(theme, index) },
        })),
        {
          ...ring,
          name: '\u200bRest', // no label starts with this character
          z: 1,
          silent: true,
          animation: false,
          tooltip: { show: false },
          data: values.map((value) => Math.max(0, whole - value)),
          itemStyle: { color: theme.grid, ...(scene.config.patterns ? { decal: { symbol: 'none' } } : {}) },
        },
      ],
    },
  };
};

const isPercent = (name: string, high: number): boolean => /%|percent|\bpct\b|\brate\b|_rate$/i.test(name) && high <= 100;

const bare: Option = {
  axisLine: { show: false },
  axisTick: { show: false },
  splitLine: { show: false },
  axisLabel: { show: false },
};

/**
 * Names and values at the start of their rings, which have no scale. Only the value has a rich-text style, so that a name cannot
 * imitate one.
 */
const nameLabel = ({ theme }: Scene, valueText: (name: string) => string): Option => ({
  show: true,
  interval: 0,
  margin: 12,
  fontSize: 11,
  color: theme.muted,
  formatter: (name: string) => {
    const text = clip(name, 22).replaceAll('{', `{${wordJoiner}`);
    return `${text}  {value|${valueText(name)}}`;
  },
  rich: { value: { fontSize: 11, fontWeight: 600, color: theme.text } },
});
