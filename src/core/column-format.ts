/** How the values of a column are written for people. Files for programs contain the values as they are. */
export const formatKinds = ['number', 'currency', 'percent', 'bytes', 'duration', 'id', 'text'] as const;
export type FormatKind = (typeof formatKinds)[number];

export interface ColumnFormat {
  readonly kind: FormatKind;
  readonly currency?: string; // ISO 4217
  readonly decimals?: number; // 0 to 6; left out: as the kind or the values need
  readonly unit?: string; // after a number
}

/** The kinds that say how digits are written; the others leave a value as it is. */
export const writesDigits = (format: ColumnFormat | undefined): format is ColumnFormat =>
  format !== undefined && format.kind !== 'id' && format.kind !== 'text';

/** A number, or its digits as text where a number would lose some. */
export type Numeric = number | bigint | `${number}`;

export type NumberText = (value: Numeric) => string;

export interface Decimals {
  readonly least: number;
  readonly most: number;
}

/** The unit that numbers are shown in: 385,000 as `0.39M`. */
export interface Scale {
  readonly divisor: number;
  readonly word: string;
  readonly from?: number; // the smallest number in it; left out: one
}

/** One locale for everyone, so that a picture drawn by the server reads like the chart in a browser. */
export const locale = 'en-US';
export const unscaled: Scale = { divisor: 1, word: '' };

/** A text with these decimals, in this unit. */
export function numberText(
  format: ColumnFormat | undefined,
  { least, most }: Decimals,
  { divisor, word }: Scale = unscaled,
): NumberText {
  const { format: write } = new Intl.NumberFormat(locale, {
    ...styleOf(format),
    minimumFractionDigits: least,
    maximumFractionDigits: most,
    signDisplay: 'negative', // no minus before a zero
  });
  const end = word + (format?.unit === undefined ? '' : ` ${format.unit}`);
  return (value) => write(divisor === 1 ? value : Number(value) / divisor).replace('\u00a0', ' ') + end;
}

/** For numbers with more digits than a unit shortens: `€1.2E18`. */
export function scientificText(format: ColumnFormat | undefined): NumberText {
  const options = { ...styleOf(format), notation: 'scientific', minimumFractionDigits: 0, maximumFractionDigits: 2 } as const;
  const { format: write } = new Intl.NumberFormat(locale, options);
  return (value) => write(value) + (format?.unit === undefined ? '' : ` ${format.unit}`);
}

const styleOf = (format: ColumnFormat | undefined): Intl.NumberFormatOptions => {
  if (format?.kind === 'percent') return { style: 'percent' };
  return format?.kind === 'currency' && format.currency !== undefined ? { style: 'currency', currency: format.currency } : {};
};

/** The decimals of a value on its own; `natural` are those of a number whose author set none. */
export function decimalsOf(format: ColumnFormat | undefined, natural: Decimals = { least: 0, most: 2 }): Decimals {
  if (format?.decimals !== undefined) return { least: format.decimals, most: format.decimals };
  switch (format?.kind) {
    case 'currency': {
      const { maximumFractionDigits = 2 } = new Intl.NumberFormat(locale, styleOf(format)).resolvedOptions();
      const own = format.currency === undefined ? 2 : maximumFractionDigits; // none of a yen
      return { least: own, most: own };
    }
    case 'percent':
    case 'bytes':
      return { least: 0, most: 1 };
    case 'duration':
      return { least: 0, most: 3 };
    default:
      return natural;
  }
}

/** Writes values on their own, each in the unit that suits it. */
export function valueText(format: ColumnFormat | undefined, natural?: Decimals): NumberText {
  const decimals = decimalsOf(format, natural);
  if (format?.kind === 'duration') return clockText(decimals);
  if (format?.kind !== 'bytes') return numberText(format, decimals);
  const writers = new Map<Scale, NumberText>();
  return (value) => {
    const scale = scaleOf(format, Math.abs(Number(value)));
    const write = writers.get(scale) ?? numberText(format, scale.divisor === 1 ? { least: 0, most: 0 } : decimals, scale);
    writers.set(scale, write);
    return write(value);
  };
}

/** Seconds as hours, minutes and seconds: `1:23:45`. */
function clockText(decimals: Decimals): NumberText {
  const digits = new Intl.NumberFormat(locale, {
    minimumIntegerDigits: 2,
    minimumFractionDigits: decimals.least,
    maximumFractionDigits: decimals.most,
  });
  return (value) => {
    const unit = 10 ** decimals.most;
    const size = Math.round(Math.abs(Number(value)) * unit) / unit; // before it is split: 59.9996 s are a minute
    const [hours, minutes] = [Math.floor(size / 3600), Math.floor(size / 60) % 60];
    const sign = Number(value) < 0 && size > 0 ? '-' : '';
    return `${sign}${hours}:${String(minutes).padStart(2, '0')}:${digits.format(size % 60)}`;
  };
}

/** The unit for a number of this size. */
export function scaleOf(format: ColumnFormat | undefined, size: number): Scale {
  const scales = (format && scalesByKind[format.kind]) ?? thousands;
  return scales.findLast(({ divisor, from = divisor }) => size >= from) ?? scales[0] ?? unscaled;
}

const powers = (words: readonly string[]): readonly Scale[] => words.map((word, index) => ({ divisor: 1000 ** index, word }));
const thousands = powers(['', 'K', 'M', 'B', 'T']);
const scalesByKind: Readonly<Partial<Record<FormatKind, readonly Scale[]>>> = {
  percent: [unscaled],
  bytes: powers([' B', ' kB', ' MB', ' GB', ' TB', ' PB', ' EB']),
  duration: [
    { divisor: 1, word: ' s' },
    { divisor: 60, word: ' min', from: 120 },
    { divisor: 3600, word: ' h', from: 2 * 3600 },
    { divisor: 86_400, word: ' d', from: 2 * 86_400 },
  ],
};

/** A cell for people. What is not a number stays as it is. */
export function cellText(value: unknown, format?: ColumnFormat): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  return writesDigits(format) && isNumeric(text) ? valueText(format, asWritten(text))(text) : text;
}

/** Whether it is a decimal number. */
export const isNumeric = (text: string): text is `${number}` => /^-?\d+(?:\.\d+)?$/.test(text);

/** As many decimals as the text has; an average has more than anybody reads. */
const asWritten = (text: string): Decimals => {
  const decimals = Math.min(6, text.split('.')[1]?.length ?? 0);
  return { least: decimals, most: decimals };
};
