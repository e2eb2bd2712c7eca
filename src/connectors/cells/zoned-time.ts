import { timeZone } from '../../catalog/time-zone.ts';
import { instantText } from './text-times.ts';

/**
 * `2026-01-31 09:30:00.123 Europe/Berlin` as `2026-01-31T08:30:00.123Z`. A local time that occurs twice, at the end of
 * daylight saving time, is read as the first one: Trino does not report which one it was.
 */
export function toInstant(text: string): string {
  const gap = text.lastIndexOf(' ');
  const local = text.slice(0, gap);
  const zone = text.slice(gap + 1);
  if (zone === 'UTC' || zone === 'Z') return instantText(local);
  if (/^[+-]\d\d:\d\d$/.test(zone)) return instantText(local + zone);
  const point = local.indexOf('.');
  const clock = Date.parse(`${(point < 0 ? local : local.slice(0, point)).replace(' ', 'T')}Z`);
  const instant = Number.isNaN(clock) ? undefined : timeZone(zone)?.instantOf(clock);
  if (instant === undefined) return text; // an unknown zone or year
  return instantText(new Date(instant).toISOString().slice(0, 19) + (point < 0 ? '' : local.slice(point)));
}
