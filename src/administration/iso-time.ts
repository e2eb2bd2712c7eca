const pattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** Epoch milliseconds → `2026-11-15T10:00:00.000Z`. */
export function isoTime(at: number): string;
export function isoTime(at: number | null): string | null;
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/**
 * An ISO 8601 date or date-time → epoch milliseconds, null for anything else. Without an offset it is UTC.
 * A date alone is a whole day: who writes "until 2026-12-31" means that day too, so an `end` is its last millisecond.
 */
export function parseIsoTime(text: string, edge: 'start' | 'end'): number | null {
  const [, day, time, zone] = pattern.exec(text) ?? [];
  if (day === undefined || !isCalendarDay(day)) return null;
  const wholeDay = edge === 'end' ? '23:59:59.999' : '00:00';
  const at = Date.parse(`${day}T${time ?? wholeDay}${zone ?? 'Z'}`);
  return Number.isNaN(at) ? null : at;
}

// Date.parse rolls 30 February over into March
function isCalendarDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(at) && isoTime(at).startsWith(day);
}
