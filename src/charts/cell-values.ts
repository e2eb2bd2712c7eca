/** Numbers, also those that arrive as text so that no digit is lost. Null where there is none, or none that an axis could hold. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' ? parsed(value) : typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !(Math.abs(number) <= drawable)) return null;
  return Math.abs(number) < 1 / drawable ? 0 : number;
}

/** Milliseconds of a date or a time stamp; one without a zone is taken as UTC, so that it is shown as it was written. */
export function toTime(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const match = isoTime.exec(value);
  if (!match) return null;
  const [, date, time = '00:00', zone = 'Z'] = match;
  const at = Date.parse(
    `${date}T${time.replace(/(\.\d{3})\d+/, '$1')}${zone.replace(/^([+-]\d\d)(\d\d)?$/, '$1:$2').replace(/:$/, ':00')}`,
  );
  return Number.isNaN(at) ? null : at;
}

export function labelText(value: unknown): string {
  if (value === null || value === undefined) return '(no value)';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const text = printable(typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value));
  return text.trim() === '' ? '(empty)' : text;
}

/** Without what XML cannot hold, what would break a line of text, and what the chart library stumbles over. */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(unprintable, ' ')
    .replace(inherited, (name) => `${name[0]}${wordJoiner}${name.slice(1)}`);

// ECharts keeps the widths of texts in a plain object: asked for `__proto__` it writes into the prototype of all objects.
// An invisible character makes such a word a harmless one.
const inherited = new RegExp(Object.getOwnPropertyNames(Object.prototype).join('|'), 'g');
export const wordJoiner = '\u2060';

const drawable = 1e300; // beyond it the steps of an axis overflow
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const isoTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\ufffe\uffff]+/gu;

function parsed(text: string): number | null {
  const trimmed = text.trim();
  return decimal.test(trimmed) ? Number(trimmed) : null;
}
