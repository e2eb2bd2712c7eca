import { locale, numberText, scaleOf } from '../../../src/core/column-format.ts';
import type { Figure } from './use-figures.ts';

const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });

/** €1.59M, 3.63: three digits in the unit that suits the value. */
export function figureText(value: number | null, { format }: Pick<Figure, 'format'>): string {
  if (value === null) return 'none';
  const scale = scaleOf(format, Math.abs(value));
  const shown = (Math.abs(value) / scale.divisor) * (format?.kind === 'percent' ? 100 : 1);
  const most = shown === 0 ? 0 : Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(shown))));
  return numberText(format, { least: 0, most }, scale)(value);
}

/** +9.8%. */
export const changeText = (change: number): string => percent.format(change);

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;

/** Net revenue, Average Days, Count. */
export function measureText({ aggregate, dataColumn, labelColumn }: Figure): string {
  if (aggregate === 'count') return dataColumn === labelColumn ? 'Count' : `Count of ${dataColumn}`;
  return aggregate === 'average' ? `Average ${dataColumn}` : dataColumn;
}

/** Dec 2025, Q4 2025, Nov 3, 2026: a period by its first moment, as its unit names it. */
export function periodText(label: string, unit: NonNullable<Figure['unit']>): string {
  const at = new Date(label.length > 10 ? `${label}Z` : label); // a clock, read as if it were UTC
  if (Number.isNaN(at.getTime())) return label;
  const format = (options: Intl.DateTimeFormatOptions) => at.toLocaleString(locale, { ...options, timeZone: 'UTC' });
  switch (unit) {
    case 'year':
      return format({ year: 'numeric' });
    case 'quarter':
      return `Q${Math.floor(at.getUTCMonth() / 3) + 1} ${at.getUTCFullYear()}`;
    case 'month':
      return format({ month: 'short', year: 'numeric' });
    case 'week':
      return `week of ${format(day)}`;
    case 'day':
      return format(day);
    case 'hour':
    case 'minute':
      return format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  }
}

/** What a figure shows, for readers who do not see it. */
export function describeFigure(figure: Figure): string {
  const { name, labelColumn, points, unit, last, change } = figure;
  if (unit !== null && last !== null) {
    const changed = change === null ? '' : `, ${changeText(change)} since the ${unit} before`;
    return `${name}: ${measureText(figure)} by ${unit}, ${figureText(last.value, figure)} in ${periodText(last.label, unit)}${changed}`;
  }
  const values = points.map(({ label, value }) => `${label} ${figureText(value, figure)}`);
  return `${name}: ${measureText(figure)} by ${labelColumn}: ${values.join(', ')}`;
}
