import {
  type ColumnFormat,
  decimalsOf,
  type FormatKind,
  locale,
  numberText,
  type Scale,
  scaleOf,
  scientificText,
  unscaled,
  valueText,
  writesDigits,
} from '../core/column-format.ts';
import type { BucketUnit } from './summary/time-buckets.ts';

/** The smallest and the largest number. */
export interface Extent {
  readonly low: number;
  readonly high: number;
}

export interface Formats extends TimeFormats {
  readonly kind: FormatKind | undefined; // of the measure
  /** The numbers of an axis and `printed` ones in one unit with the same decimals: 8K beside 10K, 0.39M beside 1.59M. */
  readonly figures: (extent: Extent, printed?: readonly number[]) => (value: number) => string;
  /** For tooltips: every digit that matters. */
  readonly full: (value: number | null) => string;
  readonly count: (value: number) => string;
  readonly share: (part: number, whole: number) => string;
}

/** Of a moment, or of a period that begins there. */
export type TimePrecision = BucketUnit | 'second';

/** The formatters of a chart whose measure has this format and these values. */
export function formatsFor(own?: ColumnFormat, values: readonly number[] = []): Formats {
  const format = writesDigits(own) ? own : undefined;
  const full = fullText(format, values);
  return {
    ...timeFormats,
    kind: format?.kind,
    figures: (extent, printed = []) => figureText(format, extent, printed),
    full: (value) => (value === null ? '–' : full(value)),
    count: numberText(undefined, { least: 0, most: 0 }),
    share: (part, whole) => share(part / whole),
  };
}

type Write = (value: number) => string;

const share = numberText({ kind: 'percent' }, { least: 1, most: 1 });
const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
const isExtreme = (size: number): boolean => size >= 1e15 || (size < 1e-9 && size > 0);

/** All values with the same decimals, if one of them needs some. */
function fullText(format: ColumnFormat | undefined, values: readonly number[]): Write {
  if (hasOwnUnits(format)) return valueText(format);
  const { least, most } = decimalsOf(format);
  const isWhole = values.every((value) => isRound(value * factorOf(format)));
  const write = numberText(format, { least: isWhole ? least : most, most });
  if (format !== undefined && (format.kind !== 'number' || format.decimals !== undefined)) return write;
  const scientific = scientificText(format);
  const end = format?.unit === undefined ? '' : ` ${format.unit}`;
  return (value) => {
    const size = Math.abs(value);
    if (isExtreme(size)) return scientific(value);
    return size < 0.1 && size > 0 ? small.format(value) + end : write(value);
  };
}

const hasOwnUnits = (format: ColumnFormat | undefined): boolean => format?.kind === 'bytes' || format?.kind === 'duration';
const factorOf = (format: ColumnFormat | undefined): number => (format?.kind === 'percent' ? 100 : 1);
const isRound = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-9 * Math.max(1, Math.abs(value));

function figureText(format: ColumnFormat | undefined, { low, high }: Extent, printed: readonly number[]): Write {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (isExtreme(size) && !isInBytes(format, size)) return extremeText(format, size);
  const sizes = printed.flatMap((value) => (value === 0 ? [] : Math.abs(value)));
  const least = sizes.reduce((lowest, each) => Math.min(lowest, each), Number.POSITIVE_INFINITY);
  const scale = chooseScale(format, size, least);
  const factor = factorOf(format) / scale.divisor;
  const ofTicks = decimalsBelow(((high - low || size) / 5) * factor, 0);
  const scaled = sizes.map((each) => each * factor);
  const ofMarks = chooseDecimals(format, scale, scaled, least * factor, ofTicks);
  const write = numberText(format, { least: ofMarks, most: Math.max(ofMarks, ofTicks) }, scale);
  const zero = numberText(format, { least: 0, most: 0 })(0);
  return (value) => (value === 0 && scale.divisor > 1 && !hasOwnUnits(format) ? zero : write(value)); // 0, not 0M
}

const isInBytes = (format: ColumnFormat | undefined, size: number): boolean => format?.kind === 'bytes' && size < 1e24;

/** Small numbers beside extreme ones are not written in scientific notation: 2, not 2E0. */
function extremeText(format: ColumnFormat | undefined, size: number): Write {
  const [write, plain] = [scientificText(format), numberText(format, { least: 0, most: 2 })];
  return (value) => (value === 0 || (size > 1 && Math.abs(value) < 1e6) ? plain(value) : write(value));
}

/**
 * Thousands, millions, bytes, hours. If the smallest number is less than a tenth of the unit, the next smaller unit is used, unless
 * the largest number is long in it.
 */
function chooseScale(format: ColumnFormat | undefined, size: number, least: number): Scale {
  if (!hasOwnUnits(format) && size < 10_000) return unscaled;
  const scale = scaleOf(format, size);
  const isShort = size / scale.divisor < 100 || scale.divisor === 1000;
  const isLarge = scale.divisor > 1 && least < scale.divisor / 10 && isShort;
  return isLarge && format?.kind !== 'duration' ? scaleOf(format, size / 1000) : scale;
}

/** As many decimals as distinguish the printed numbers, without the trailing zeros that all of them share. */
function chooseDecimals(
  format: ColumnFormat | undefined,
  { divisor }: Scale,
  printed: readonly number[],
  least: number,
  ofTicks: number,
): number {
  if (format?.decimals !== undefined && divisor === 1) return format.decimals;
  if (printed.length === 0) return 0;
  const natural = least >= 100 ? 0 : least >= 10 ? 1 : least >= 1 ? 2 : decimalsBelow(least, 1);
  const most = least >= 1 && format?.kind === 'percent' ? Math.min(1, natural) : natural;
  const endsInZero = (decimals: number) => printed.every((value) => Math.round(value * 10 ** decimals) % 10 === 0);
  let decimals = Math.max(most, ofTicks);
  while (decimals > 0 && endsInZero(decimals)) decimals--;
  const isAmount = format?.kind === 'currency' && divisor === 1 && decimals > 0; // €12.50, not €12.5
  return isAmount ? Math.max(decimals, decimalsOf(format).least) : decimals;
}

/** The decimals of the first digit of a number, and of `more` after it. */
const decimalsBelow = (size: number, more: number): number =>
  size > 0 ? Math.min(20, Math.max(0, more - Math.floor(Math.log10(size) + 1e-9))) : 0;

type TimeFormats = typeof timeFormats;

/** Created on demand: most charts show no times. */
const time = (options: Intl.DateTimeFormatOptions): Write => {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => {
    format ??= new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    return format.format(at);
  };
};
const day = time({ dateStyle: 'medium' });
const minute = time({ dateStyle: 'medium', timeStyle: 'short' });
const year = time({ year: 'numeric' });
const moments: Readonly<Record<TimePrecision, Write>> = {
  year,
  quarter: (at) => `Q${Math.floor(new Date(at).getUTCMonth() / 3) + 1} ${year(at)}`,
  month: time({ month: 'long', year: 'numeric' }),
  week: (at) => `Week of ${day(at)}`,
  day,
  hour: minute,
  minute,
  second: time({ dateStyle: 'medium', timeStyle: 'medium' }),
};
const timeFormats = {
  moment: (at: number, precision: TimePrecision): string => moments[precision](at),
  year, // 2026
  month: time({ month: 'short' }), // Feb
  monthOfYear: time({ month: 'short', year: 'numeric' }), // Feb 2026
  monthDay: time({ month: 'short', day: 'numeric' }), // Feb 14
  weekday: time({ weekday: 'short' }), // Sat
  hour: time({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }), // 14:30
};
