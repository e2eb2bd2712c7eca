const pattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** Epoch milliseconds → `2026-11-15T10:00:00.000Z`. */
export function isoTime(at: number): string;
export function isoTime(at: number | null): string | null;
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/**
 * Parses an ISO 8601 date or date-time to epoch milliseconds; null if it is neither. UTC without an offset. A date means the
 * whole day, so as an `end` ("until 2026-12-31") it is the last millisecond of that day.
 */
export function parseIsoTime(text: string, edge: 'start' | 'end'): number | null {
  const [, day, time, zone] = pattern.exec(text) ?? [];
  if (day === undefined || !isCalendarDay(day)) return null;
  const wholeDay = edge === 'end' ? '23:59:59.999' : '00:00';
  const at = Date.parse(`${day}T${time ?? wholeDay}${zone ?? 'Z'}`);
  return Number.isNaN(at) ? null : at;
}

// Date.parse turns 30 February into a day in March
function isCalendarDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(at) && isoTime(at).startsWith(day);
}
