import type { Figure } from './use-figures.ts';

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });

/** 1.59M, 3.6. */
export const figureText = (value: number | null): string => (value === null ? 'none' : compact.format(value));

/** +9.8 %. */
export const changeText = (change: number): string => percent.format(change).replace('%', ' %');

/** Dec 2025, Q4 2025, 3 Nov 2026: a period by its first moment, as its unit names it. */
export function periodText(label: string, unit: NonNullable<Figure['unit']>): string {
  const at = new Date(label.length > 10 ? `${label}Z` : label); // a clock, read as if it were UTC
  if (Number.isNaN(at.getTime())) return label;
  const format = (options: Intl.DateTimeFormatOptions) => at.toLocaleString('en-GB', { ...options, timeZone: 'UTC' });
  switch (unit) {
    case 'year':
      return format({ year: 'numeric' });
    case 'quarter':
      return `Q${Math.floor(at.getUTCMonth() / 3) + 1} ${at.getUTCFullYear()}`;
    case 'month':
      return format({ month: 'short', year: 'numeric' });
    case 'week':
    case 'day':
      return format({ day: 'numeric', month: 'short', year: 'numeric' });
    case 'hour':
    case 'minute':
      return format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
  }
}

/** What a figure shows, for readers who do not see it. */
export function describeFigure({ name, labelColumn, dataColumn, points, unit, last, change }: Figure): string {
  if (unit !== null && last !== null) {
    const changed = change === null ? '' : `, ${changeText(change)} since the ${unit} before`;
    return `${name}: ${dataColumn} by ${unit}, ${figureText(last.value)} in ${periodText(last.label, unit)}${changed}`;
  }
  const values = points.map(({ label, value }) => `${label} ${figureText(value)}`);
  return `${name}: ${dataColumn} by ${labelColumn}: ${values.join(', ')}`;
}
