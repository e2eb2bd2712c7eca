import { evaluate, parseRelativeMoment } from '../../../src/catalog/relative-moment.ts';
import { timeZone, UTC } from '../../../src/catalog/time-zone.ts';

/** Relative moments that forms offer: the start of a period up to now. */
export const relativePresets: readonly { readonly label: string; readonly expression: string }[] = [
  { label: 'Today', expression: 'today' },
  { label: 'Yesterday', expression: 'yesterday' },
  { label: 'Last 7 days', expression: 'today-7d' },
  { label: 'Last 30 days', expression: 'today-30d' },
  { label: 'This week', expression: 'week-start' },
  { label: 'This month', expression: 'month-start' },
  { label: 'Last month', expression: 'month-start-1mo' },
  { label: 'This quarter', expression: 'quarter-start' },
  { label: 'This year', expression: 'year-start' },
  { label: 'Last 12 months', expression: 'today-1y' },
];

/** `today-7d` as the date that it is now; null for any other text. */
export function previewRelative(text: string, kind: 'date' | 'datetime', zone: string, now: number): string | null {
  const expression = parseRelativeMoment(text);
  if (expression === null) return null;
  const value = evaluate(expression, kind, { now, zone: timeZone(zone) ?? UTC });
  return value.ok ? value.value.replace('T', ' ') : value.message;
}
