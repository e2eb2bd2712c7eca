/** Parses numbers, including those sent as text to keep all digits. Null if it is not a number or too large for an axis. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' ? parseNumber(value) : typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !(Math.abs(number) <= drawable)) return null;
  return Math.abs(number) < 1 / drawable ? 0 : number;
}

/** Parses a date or timestamp to milliseconds; without a zone as UTC, so that it is shown as written. */
export function toTime(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const match = isoTime.exec(value);
  if (!match) return null;
  const [, date, time = '00:00', zone = 'Z'] = match;
  const fraction = time.length > maxTime.length ? time.slice(0, maxTime.length) : time;
  const at = Date.parse(`${date}T${fraction}${zone.length === 1 || zone.length === 6 ? zone : completeZone(zone)}`);
  return Number.isNaN(at) ? null : at;
}

const maxTime = '00:00:00.000'; // Date.parse reads milliseconds
/** `+01` and `+0130` as `+01:00` and `+01:30`. */
const completeZone = (zone: string): string => `${zone.slice(0, 3)}:${zone.slice(3) || '00'}`;

/** Reads the clock that a date or timestamp shows in a zone, in milliseconds as if it were UTC. Without a zone it is shown as written. */
export const createClockReader =
  (clockAt: (instant: number) => number) =>
  (value: unknown): number | null => {
    const at = toTime(value);
    return at === null || isoTime.exec(String(value))?.[3] === undefined ? at : clockAt(at);
  };

export function labelText(value: unknown): string {
  if (value === null || value === undefined) return '(no value)';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const text = toPrintable(typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value));
  return text.trim() === '' ? '(empty)' : text;
}

/** Removes characters that XML does not allow, line breaks, and names that break ECharts. */
export const toPrintable = (text: string): string =>
  text
    .toWellFormed()
    .replace(unprintable, ' ')
    .replace(inherited, (name) => `${name[0]}${wordJoiner}${name.slice(1)}`);

// ECharts caches text widths in a plain object: a text such as `__proto__` would modify Object.prototype. An invisible character
// in such words prevents that.
const inherited = new RegExp(Object.getOwnPropertyNames(Object.prototype).join('|'), 'g');
export const wordJoiner = '\u2060';

const drawable = 1e300; // above it, the steps of an axis overflow
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const isoTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\ufffe\uffff]+/gu;

function parseNumber(text: string): number | null {
  const trimmed = text.trim();
  return decimal.test(trimmed) ? Number(trimmed) : null;
}
