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
  return {
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

function usable(locale: string | undefined): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale ?? [])[0] ?? 'en-US';
  } catch {
    return 'en-US'; // invalid locale
  }
}
