import { instantText } from './text-times.ts';

/**
 * `2026-01-31 09:30:00.123 Europe/Berlin` as `2026-01-31T08:30:00.123Z`. A local time that occurs twice, at the end of
 * daylight saving time, is read as the first one: Trino does not report which one it was.
 */
export function zonedInstant(text: string): string {
  const gap = text.lastIndexOf(' ');
  const local = text.slice(0, gap);
  const zone = text.slice(gap + 1);
  if (zone === 'UTC' || zone === 'Z') return instantText(local);
  if (/^[+-]\d\d:\d\d$/.test(zone)) return instantText(local + zone);
  const point = local.indexOf('.');
  const clock = Date.parse(`${(point < 0 ? local : local.slice(0, point)).replace(' ', 'T')}Z`);
  const instant = Number.isNaN(clock) ? undefined : earliestInstant(clock, zone);
  if (instant === undefined) return text; // an unknown zone or year
  return instantText(new Date(instant).toISOString().slice(0, 19) + (point < 0 ? '' : local.slice(point)));
}

const dayMs = 24 * 60 * 60 * 1000;

function earliestInstant(clock: number, name: string): number | undefined {
  const zone = zoneOf(name);
  if (zone === undefined) return undefined;
  const [before, after] = [offsetAt(clock - dayMs, zone), offsetAt(clock + dayMs, zone)];
  const fits = (offset: number): boolean => offsetAt(clock - offset, zone) === offset;
  const larger = Math.max(before, after);
  if (fits(larger)) return clock - larger;
  const smaller = Math.min(before, after);
  return fits(smaller) ? clock - smaller : clock - before;
}

const hourMs = 60 * 60 * 1000;
const mostHours = 16_384; // somewhat more than a year

/** The UTC offset of a zone at an instant. Formatting is slow, so offsets are cached by hour. */
function offsetAt(instant: number, { format, offsets }: Zone): number {
  const hour = Math.floor(instant / hourMs);
  const kept = offsets.get(hour);
  if (kept !== undefined) return kept;
  const [first, last] = [formattedOffset(hour * hourMs, format), formattedOffset((hour + 1) * hourMs, format)];
  if (first !== last) return formattedOffset(instant, format); // the offset changes in this hour
  if (offsets.size >= mostHours) offsets.clear();
  offsets.set(hour, first);
  return first;
}

function formattedOffset(instant: number, format: Intl.DateTimeFormat): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly offsets: Map<number, number>; // by the hours since 1970
}

const zones = new Map<string, Zone | undefined>();

function zoneOf(name: string): Zone | undefined {
  if (zones.has(name)) return zones.get(name);
  const numeric = 'numeric' as const;
  const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  let zone: Zone | undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, hourCycle: 'h23', calendar: 'gregory', ...fields });
    zone = { format, offsets: new Map() };
  } catch {
    // there is no such zone
  }
  zones.set(name, zone);
  return zone;
}
