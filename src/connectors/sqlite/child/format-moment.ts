import type { ColumnKind } from '../../../core/column.ts';

/**
 * A date and time in the format of SQLite's functions (`2026-01-31 09:30:00.120`) as ISO 8601 (`2026-01-31T09:30:00.12`). In a
 * column that was declared with a time zone it is UTC, as SQLite assumes. Other text stays as it is.
 */
export function formatMoment(text: string, kind: ColumnKind): string {
  const match = moment.exec(text);
  if (match === null) return text;
  const [, date = '', time = '', digits = '', zone = ''] = match;
  const fraction = digits.replace(/(?<!0)0+$/, '');
  const local = `${date}T${time}`;
  const shown = fraction === '' ? local : `${local}.${fraction}`;
  if (kind !== 'timestamptz') return shown + zone;
  if (zone === '' || zone === 'Z') return `${shown}Z`;
  const utc = new Date(Date.parse(`${local}${zone}`));
  if (Number.isNaN(utc.getTime())) return text;
  return `${utc.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

const moment = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/;
