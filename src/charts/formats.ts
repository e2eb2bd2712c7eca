/** Formatters for numbers and times in the reader's locale. */
export interface Formats {
  readonly full: (value: number | null) => string; // in tooltips
  readonly short: (value: number) => string; // on axes and marks
  readonly count: (value: number) => string;
  readonly share: (part: number, whole: number) => string;
  readonly moment: (at: number, precision: TimePrecision) => string;
  readonly year: (at: number) => string; // 2026
  readonly month: (at: number) => string; // Feb
  readonly monthOfYear: (at: number) => string; // Feb 2026
  readonly monthDay: (at: number) => string; // Feb 14
  readonly weekday: (at: number) => string; // Sat
  readonly hour: (at: number) => string; // 14:30
}

export type TimePrecision = 'day' | 'minute' | 'second';

export function formatsFor(wanted: string | undefined): Formats {
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
  return {
    full: (value) => (value === null ? '–' : exact(value)),
    short: (value) => (Math.abs(value) >= 10_000 && Math.abs(value) < 1e15 ? compact(value) : exact(value)),
    count: number({ maximumFractionDigits: 0 }),
    share: (part, whole) => (part / whole < 0.1 ? finePercent : percent)(part / whole),
    moment: (at, precision) => moments[precision](at),
    year: time({ year: 'numeric' }),
    month: time({ month: 'short' }),
    monthOfYear: time({ month: 'short', year: 'numeric' }),
    monthDay: time({ month: 'short', day: 'numeric' }),
    weekday: time({ weekday: 'short' }),
    hour: time({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  };
}

function usable(locale: string | undefined): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale ?? [])[0] ?? 'en-US';
  } catch {
    return 'en-US'; // invalid locale
  }
}
