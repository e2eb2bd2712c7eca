/** The smallest and the largest number. */
export interface Extent {
  readonly low: number;
  readonly high: number;
}

export type Formats = ReturnType<typeof formatsFor>;

export type TimePrecision = 'day' | 'minute' | 'second';

/** Formatters for numbers and times in the reader's locale. */
export function formatsFor(wanted: string | undefined) {
  const locale = usable(wanted);
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
  const moments: Readonly<Record<TimePrecision, (at: number) => string>> = {
    day: time({ dateStyle: 'medium' }),
    minute: time({ dateStyle: 'medium', timeStyle: 'short' }),
    second: time({ dateStyle: 'medium', timeStyle: 'medium' }),
  };
  const exact = (value: number): string => {
    const size = Math.abs(value);
    if (size >= 1e15 || (size < 1e-6 && size > 0)) return scientific(value);
    return size < 0.1 && size > 0 ? small(value) : plain(value);
  };
  /** All numbers of an axis in one unit: 8K beside 10K, 0.5M beside 1M. */
  const axis = ({ low, high }: Extent): ((value: number) => string) => {
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (size >= 1e15 || (size < 1e-9 && size > 0)) return (value) => (value === 0 ? '0' : scientific(value));
    if (size >= 10_000) return inUnit(locale, size);
    if (size >= 1 || size === 0) return plain;
    const decimals = number({ maximumFractionDigits: Math.min(20, 2 - Math.floor(Math.log10(size))) });
    return (value) => decimals(value);
  };
  return {
    axis,
    /** For tooltips. */
    full: (value: number | null): string => (value === null ? '–' : exact(value)),
    /** For axes and marks. */
    short: (value: number): string => (Math.abs(value) >= 10_000 && Math.abs(value) < 1e15 ? compact(value) : exact(value)),
    count: number({ maximumFractionDigits: 0 }),
    share: (part: number, whole: number): string => (part / whole < 0.1 ? finePercent : percent)(part / whole),
    moment: (at: number, precision: TimePrecision): string => moments[precision](at),
    year: time({ year: 'numeric' }), // 2026
    month: time({ month: 'short' }), // Feb
    monthOfYear: time({ month: 'short', year: 'numeric' }), // Feb 2026
    monthDay: time({ month: 'short', day: 'numeric' }), // Feb 14
    weekday: time({ weekday: 'short' }), // Sat
    hour: time({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }), // 14:30
  };
}

/** The unit that the locale has for a number of this size: thousands, millions, or none. */
function inUnit(locale: string, size: number): (value: number) => string {
  const parts = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 15 }).formatToParts(size);
  const digits = parts.filter(({ type }) => type === 'integer' || type === 'fraction');
  const shown = Number(digits.map(({ type, value }) => (type === 'fraction' ? `.${value}` : value)).join(''));
  const unit = parts.some(({ type }) => type === 'compact') && shown > 0 ? 10 ** Math.round(Math.log10(size / shown)) : 1;
  const last = parts.findIndex(({ type }) => type === 'compact');
  const word =
    unit === 1
      ? ''
      : parts
          .slice(last - 1 >= 0 && parts[last - 1]?.type === 'literal' ? last - 1 : last)
          .map(({ value }) => value)
          .join('');
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: unit === 1 ? 0 : 2 });
  return (value) => (value === 0 ? format.format(0) : format.format(value / unit) + word);
}

function usable(locale: string | undefined): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale ?? [])[0] ?? 'en-US';
  } catch {
    return 'en-US'; // invalid locale
  }
}
