import { type ColumnFormat, decimalsOf, locale } from '../../../core/column-format.ts';
import type { LabeledColumn } from '../../../core/column.ts';

/** Excel's format code for the numbers of a column; null: as Excel shows numbers. The cells keep their values, durations in seconds. */
export function numberFormatOf({ format, kind }: LabeledColumn): string | null {
  if (format === undefined) return null;
  const natural = kind === 'integer' ? 0 : 2;
  const { most } = decimalsOf(format, { least: natural, most: natural });
  const digits = `#,##0${fraction(most)}`;
  switch (format.kind) {
    case 'number':
      return digits + (format.unit === undefined ? '' : literal(` ${format.unit}`));
    case 'currency':
      return format.currency === undefined ? digits : `[$${symbolOf(format)}]${digits}`;
    case 'percent':
      return `0${fraction(most)}%`;
    case 'bytes': // a code has two conditions at most; each comma divides by a thousand
      return `[>=1000000000]${digits},,,${literal(' GB')};[>=1000000]${digits},,${literal(' MB')};#,##0${literal(' B')}`;
    case 'duration':
      return `#,##0${fraction(format.decimals ?? 0)}${literal(' s')}`;
    case 'id':
    case 'text':
      return kind === 'integer' ? '0' : null; // without separators and exponents
  }
}

const fraction = (decimals: number): string => (decimals === 0 ? '' : `.${'0'.repeat(decimals)}`);

/** Text of a code; a quote cannot be part of a quoted text. */
const literal = (text: string): string =>
  text
    .split('"')
    .map((part) => (part === '' ? '' : `"${part}"`))
    .join('\\"');

/** What an American reader sees before the amount: `€`, `CHF `. */
function symbolOf({ currency = '' }: ColumnFormat): string {
  const parts = new Intl.NumberFormat(locale, { style: 'currency', currency }).formatToParts(1);
  const digits = parts.findIndex(({ type }) => type === 'integer');
  const before = parts.slice(0, digits).map(({ value }) => value);
  return before.join('').replace('\u00a0', ' ');
}
