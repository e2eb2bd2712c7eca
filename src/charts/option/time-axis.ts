import type { Formats } from '../formats.ts';
import { extentOf } from '../points.ts';
import type { Option, Scene } from '../scene.ts';
import { nameBelow } from './axis-name.ts';

const day = 86_400_000;
const month = 30.4375 * day;

/** A time axis: distances are durations. In UTC, like times without a zone. */
export function timeAxis({ theme, formats }: Scene, times: readonly number[], plotWidth: number): Option {
  const { low, high } = extentOf(times);
  const span = high - low;
  return {
    type: 'time',
    axisTick: { show: true, lineStyle: { color: theme.axis } },
    axisLine: { lineStyle: { color: theme.axis } },
    splitLine: { show: false },
    axisLabel: {
      color: theme.muted,
      fontSize: 11,
      margin: 10,
      hideOverlap: true,
      formatter: (at: number, index: number) => timeLabel(formats, at, index === 0, span > 30 * month),
    },
    splitNumber: splits(span, plotWidth),
    ...(times.every((at) => at % day === 0)
      ? { minInterval: day }
      : span < 3 * day
        ? nameBelow(theme, daysOf(formats, low, high))
        : {}),
  };
}

/** Hours do not tell their day. */
function daysOf(formats: Formats, low: number, high: number): string {
  const [first, last] = [formats.moment(low, 'day'), formats.moment(high, 'day')];
  return first === last ? first : `${first} – ${last}`;
}

/** Labels for adjacent times, as short as they stay distinct. */
export function shortenMoments(formats: Formats, times: readonly (number | null)[]): readonly (string | null)[] {
  const known = times.flatMap((at) => at ?? []);
  const format = chooseShortFormat(formats, known);
  return times.map((at) => (at === null ? null : format(at)));
}

function chooseShortFormat(formats: Formats, times: readonly number[]): (at: number) => string {
  const { low, high } = extentOf(times);
  const dates = times.map((at) => new Date(at));
  if (times.some((at) => at % day !== 0)) {
    if (Math.floor(low / day) === Math.floor(high / day))
      return (at) => (at === low ? `${formats.monthDay(at)} ${formats.hour(at)}` : formats.hour(at));
    return (at) => `${formats.monthDay(at)} ${formats.hour(at)}`;
  }
  if (dates.every((date) => date.getUTCDate() === 1)) {
    return dates.every((date) => date.getUTCMonth() === 0) ? formats.year : formats.monthOfYear;
  }
  const sameYear = new Date(low).getUTCFullYear() === new Date(high).getUTCFullYear();
  return sameYear ? formats.monthDay : (at) => formats.moment(at, 'day');
}

/** The part of a time that differs from its neighbours; the first label includes the year. */
function timeLabel(formats: Formats, at: number, first: boolean, overYears: boolean): string {
  if (at % day !== 0) return formats.hour(at);
  const date = new Date(at);
  if (date.getUTCDate() !== 1) return formats.monthDay(at);
  if (date.getUTCMonth() === 0 && overYears) return formats.year(at);
  return first || date.getUTCMonth() === 0 ? formats.monthOfYear(at) : formats.month(at);
}

/** Across several months, one split less than there are months: ECharts then uses whole months and no odd days between them. */
function splits(span: number, plotWidth: number): number {
  const room = Math.max(2, Math.floor(plotWidth / 90));
  const months = span / month;
  if (months < 3) return Math.min(room, 10);
  const each = [1, 2, 3, 6].find((step) => months / step <= room);
  if (each !== undefined) return Math.max(2, Math.round(months / each) - 1);
  const years = [1, 2, 5, 10, 20].find((step) => months / 12 / step <= plotWidth / 55) ?? 50;
  return months / 12 / years / 1.045; // slightly longer than the years, so that ECharts does not use months
}
