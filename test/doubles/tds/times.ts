import type { Bytes } from './bytes.ts';

/** [MS-TDS] 2.2.5.5.1: dates and times, from texts such as `2026-01-31T09:30:00.1234567`. */

export function writeDate(out: Bytes, text: string): void {
  out.u8(3).whole(BigInt(daysSinceYear1(text)), 3);
}

export function writeTime(out: Bytes, text: string, scale: number): void {
  out.u8(timeBytes(scale)).whole(ticks(text, scale), timeBytes(scale));
}

export function writeDateTime2(out: Bytes, text: string, scale: number): void {
  const [date = '', clock = ''] = text.split(/[T ]/);
  out
    .u8(timeBytes(scale) + 3)
    .whole(ticks(clock, scale), timeBytes(scale))
    .whole(BigInt(daysSinceYear1(date)), 3);
}

/** The wire format is UTC, followed by the offset in minutes. */
export function writeDateTimeOffset(out: Bytes, text: string, scale: number): void {
  const [, local = '', fraction = '', zone = ''] = /^(.{10}[T ]\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[-+]\d\d:\d\d)$/.exec(text) ?? [];
  if (local === '') throw new TypeError(`${text} is no datetimeoffset.`);
  const [hours = '0', minutes = '0'] = zone === 'Z' ? [] : zone.slice(1).split(':');
  const offset = (Number(hours) * 60 + Number(minutes)) * (zone.startsWith('-') ? -1 : 1);
  const utc = new Date(Date.parse(`${local.replace(' ', 'T')}Z`) - offset * 60_000).toISOString();
  out.u8(timeBytes(scale) + 5);
  out.whole(ticks(utc.slice(11, 19) + fraction, scale), timeBytes(scale));
  out.whole(BigInt(daysSinceYear1(utc.slice(0, 10))), 3).whole(BigInt(offset), 2);
}

/** Days since 1900 and three-hundredths of a second. */
export function writeDateTime(out: Bytes, text: string): void {
  const [date = '', clock = ''] = text.split(/[T ]/);
  const milliseconds = Number(ticks(clock, 3));
  out
    .u8(8)
    .whole(BigInt(daysSinceYear1(date) - daysTo1900), 4)
    .whole(BigInt(Math.round(milliseconds * 0.3)), 4);
}

/** Days since 1900 and minutes. */
export function writeSmallDateTime(out: Bytes, text: string): void {
  const [date = '', clock = ''] = text.split(/[T ]/);
  out
    .u8(4)
    .u16(daysSinceYear1(date) - daysTo1900)
    .u16(Number(ticks(clock, 0)) / 60);
}

const daysTo1900 = 693_595;

const timeBytes = (scale: number): number => (scale <= 2 ? 3 : scale <= 4 ? 4 : 5);

function daysSinceYear1(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time)) throw new TypeError(`${text} is no date.`);
  return (time - Date.parse('0001-01-01T00:00:00Z')) / 86_400_000;
}

function ticks(text: string, scale: number): bigint {
  const [, hours, minutes, seconds, fraction = ''] = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?$/.exec(text) ?? [];
  if (hours === undefined) throw new TypeError(`${text} is no time.`);
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return BigInt(whole) * 10n ** BigInt(scale) + BigInt(fraction.slice(0, scale).padEnd(scale, '0') || '0');
}
