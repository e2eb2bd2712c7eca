import { timeZone } from '../../catalog/time-zone.ts';

/** Dates and times as engines write them, converted to ISO 8601. Text that is not a date stays as it is. */

/** `2026-01-31`; years beyond four digits as JavaScript writes them: `+012026-01-31`, and the year before 1 is 0. */
export function dateText(text: string): string {
  if (text.length === 10 && text.charCodeAt(4) === dash) return text;
  const found = longDate.exec(text);
  if (found === null) return text; // infinity
  const [, year = '', rest = '', era] = found;
  return yearText(era === undefined ? Number(year) : 1 - Number(year)) + rest;
}

/** `09:30:00.5`, with the zone where there is one. */
export function timeText(text: string): string {
  const point = text.indexOf('.');
  return point < 0 ? text : trimTrailingZeros(text, point);
}

/** `2026-01-31T09:30:00.123` */
export function timestampText(text: string): string {
  const gap = separatorOf(text);
  if (gap < 0) return dateText(text);
  const clock = timeText(text.slice(gap + 1));
  if (!clock.endsWith(' BC')) return `${dateText(text.slice(0, gap))}T${clock}`;
  return `${dateText(`${text.slice(0, gap)} BC`)}T${clock.slice(0, -3)}`;
}

/** `2026-01-31T09:30:00.123Z` */
export function instantText(text: string): string {
  const gap = separatorOf(text);
  if (gap < 0) return dateText(text);
  const found = zone.exec(text);
  if (found === null) return `${timestampText(text)}Z`;
  const [suffix, sign, hours = '0', minutes = '0', seconds = '0', era = ''] = found;
  const local = timestampText(text.slice(0, found.index) + era);
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (suffix.startsWith('Z') || offset === 0) return `${local}Z`;
  return `${shiftTimestamp(local, sign === '-' ? offset : -offset)}Z`;
}

const dash = 45;
const blank = 32;
const letterT = 84;
const longDate = /^(\d{4,})(-\d\d-\d\d)( BC)?$/;
const zone = /(?:Z|([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)( BC)?$/;

function separatorOf(text: string): number {
  const usual = text.charCodeAt(10);
  if (usual === blank || usual === letterT) return 10;
  return text.search(/[ T]\d\d:/);
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}

function trimTrailingZeros(text: string, point: number): string {
  let end = point + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  let kept = end;
  while (text.charAt(kept - 1) === '0') kept--;
  if (kept === end) return text;
  return text.slice(0, kept === point + 1 ? point : kept) + text.slice(end);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Moves a timestamp by seconds; its fraction stays. */
function shiftTimestamp(timestamp: string, seconds: number): string {
  const point = timestamp.indexOf('.');
  const whole = point < 0 ? timestamp : timestamp.slice(0, point);
  const moved = new Date(Date.parse(`${whole}Z`) + seconds * 1000);
  if (Number.isNaN(moved.getTime())) return timestamp;
  return moved.toISOString().slice(0, -5) + (point < 0 ? '' : timestamp.slice(point));
}

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
