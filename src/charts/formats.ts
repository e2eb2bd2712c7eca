import type { BucketUnit } from './summary/time-buckets.ts';

/** The smallest and the largest number. */
export interface Extent {
  readonly low: number;
  readonly high: number;
}

export type Formats = ReturnType<typeof formatsFor>;

/** Of a moment, or of a period that begins there. */
export type TimePrecision = BucketUnit | 'second';

/** Formatters for numbers and times in the reader's locale. */
export function formatsFor(wanted: string | undefined) {
  const locale = usableLocale(wanted);
  const number = (options: Intl.NumberFormatOptions) => {
    const format = new Intl.NumberFormat(locale, options);
    return (value: number): string => format.format(value);
  };
  const time = (options: Intl.DateTimeFormatOptions) => {
    let format: Intl.DateTimeFormat | undefined; // created on demand: most charts show no times
    return (at: number): string => {
      format ??= new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
      return format.format(at);
    };
  };
  const plain = number({ maximumFractionDigits: 2 });
  const small = number({ maximumSignificantDigits: 3 });
  const compact = number({ notation: 'compact', maximumFractionDigits: 1 });
  const scientific = number({ notation: 'scientific', maximumFractionDigits: 2 });
  const percent = number({ style: 'percent', maximumFractionDigits: 0 });
  const finePercent = number({ style: 'percent', maximumFractionDigits: 1 });
  const day = time({ dateStyle: 'medium' });
  const minute = time({ dateStyle: 'medium', timeStyle: 'short' });
  const year = time({ year: 'numeric' });
  const moments: Readonly<Record<TimePrecision, (at: number) => string>> = {
    year,
    quarter: (at) => `Q${Math.floor(new Date(at).getUTCMonth() / 3) + 1} ${year(at)}`,
    month: time({ month: 'long', year: 'numeric' }),
    week: (at) => `Week of ${day(at)}`,
    day,
    hour: minute,
    minute,
    second: time({ dateStyle: 'medium', timeStyle: 'medium' }),
  };
  const formatExact = (value: number): string => {
    const size = Math.abs(value);
    if (size >= 1e15 || (size < 1e-9 && size > 0)) return scientific(value);
    return size < 0.1 && size > 0 ? small(value) : plain(value);
  };
  return {
    /** All numbers of a chart in one unit: 8K beside 10K, 0.5M beside 1M. `least`: the smallest number that is printed. */
    figures: ({ low, high }: Extent, least = Number.POSITIVE_INFINITY): ((value: number) => string) => {
      const size = Math.max(Math.abs(low), Math.abs(high));
      if (size >= 1e15 || (size < 1e-9 && size > 0)) return (value) => (value === 0 ? '0' : scientific(value));
      if (size >= 10_000) return formatInUnit(locale, size, least, formatExact);
      if (size >= 1 || size === 0) return formatExact;
      const decimals = Math.min(20, 2 - Math.floor(Math.log10(Math.max(1e-18, Math.min(size, least)))));
      return number({ maximumFractionDigits: decimals });
    },
    /** For tooltips. */
    full: (value: number | null): string => (value === null ? '–' : formatExact(value)),
    /** For a number on its own. */
    short: (value: number): string => (Math.abs(value) >= 10_000 && Math.abs(value) < 1e15 ? compact(value) : formatExact(value)),
    count: number({ maximumFractionDigits: 0 }),
    share: (part: number, whole: number): string => (part / whole < 0.1 ? finePercent : percent)(part / whole),
    moment: (at: number, precision: TimePrecision): string => moments[precision](at),
    year, // 2026
    month: time({ month: 'short' }), // Feb
    monthOfYear: time({ month: 'short', year: 'numeric' }), // Feb 2026
    monthDay: time({ month: 'short', day: 'numeric' }), // Feb 14
    weekday: time({ weekday: 'short' }), // Sat
    hour: time({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }), // 14:30
  };
}

/**
 * The unit that the locale has for a number of this size: thousands, millions, or none. If the smallest number is less than a tenth
 * of it, the next smaller unit reads better, as long as the largest number stays short in it.
 */
function formatInUnit(
  locale: string,
  size: number,
  least: number,
  formatExact: (value: number) => string,
): (value: number) => string {
  const { unit, word } = unitFor(locale, size);
  const isShort = size / unit < 100 || unit === 1000;
  if (unit > 1 && least < unit / 10 && isShort) return formatInUnit(locale, size / 1000, Number.POSITIVE_INFINITY, formatExact);
  const digits = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options);
  const [whole, one, two, small] = [
    digits({ maximumFractionDigits: 0 }),
    digits({ maximumFractionDigits: 1 }),
    digits({ maximumFractionDigits: 2 }),
    digits({ maximumSignificantDigits: 3 }),
  ];
  if (unit === 1) return (value) => (Math.abs(value) >= 1000 ? whole.format(value) : formatExact(value));
  return (value) => {
    if (value === 0) return whole.format(0);
    const part = Math.abs(value / unit);
    return (part >= 10 ? one : part >= 1 ? two : small).format(value / unit) + word;
  };
}

function unitFor(locale: string, size: number): { readonly unit: number; readonly word: string } {
  const parts = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 15 }).formatToParts(size);
  const at = parts.findIndex(({ type }) => type === 'compact');
  const digits = parts.filter(({ type }) => type === 'integer' || type === 'fraction');
  const shown = Number(digits.map(({ type, value }) => (type === 'fraction' ? `.${value}` : value)).join(''));
  if (at < 0 || !(shown > 0)) return { unit: 1, word: '' };
  const from = parts[at - 1]?.type === 'literal' ? at - 1 : at;
  const word = parts.slice(from).map(({ value }) => value);
  return { unit: 10 ** Math.round(Math.log10(size / shown)), word: word.join('') };
}

function usableLocale(locale: string | undefined): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale ?? [])[0] ?? 'en-US';
  } catch {
    return 'en-US'; // invalid locale
  }
}
