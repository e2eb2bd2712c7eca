import { type CastResult, castSucceeded, quote, castFailed } from './cast-result.ts';
import { momentAdvice } from './moment-words.ts';

type MomentType = 'date' | 'datetime' | 'datetimeoffset' | 'time';

export function castMoment(text: string, type: MomentType): CastResult {
  if (type === 'time') return castTime(text);
  const moment = parseMoment(text);
  if (moment === null) return castFailed(`${quote(text)} is not a ${wanted[type]}.${momentAdvice(text)}`);
  if (trimZeros(moment.fraction).length > longestFraction)
    return castFailed(`${quote(text)} has more than ${longestFraction} digits after the second.`);
  const utc = new Date(moment.localMs - moment.offsetMinutes * 60_000);
  const year = utc.getUTCFullYear();
  if (year < 1 || year > 9999) return castFailed(`${quote(text)} is not between the years 0001 and 9999 in UTC.`);
  const [day = '', clock = ''] = utc.toISOString().slice(0, 19).split('T');
  const time = withFraction(clock, moment.fraction);
  if (type !== 'date') return castSucceeded(`${day}T${time}${type === 'datetimeoffset' ? 'Z' : ''}`);
  return time === '00:00:00'
    ? castSucceeded(day)
    : castFailed(`${quote(text)} has a time of day, which a date cannot have. Write 2026-01-31.`);
}

const longestFraction = 6; // the precision that every engine supports; more digits would be lost

const wanted: Readonly<Record<Exclude<MomentType, 'time'>, string>> = {
  date: 'valid date. Write 2026-01-31',
  datetime: 'valid date and time. Write 2026-01-31T09:30:00',
  datetimeoffset: 'valid date and time with offset. Write 2026-01-31T09:30:00+02:00',
};

/** Local time treated as UTC, in whole seconds; the fraction stays text, so that no digit is lost. */
interface Moment {
  readonly localMs: number;
  readonly fraction: string;
  readonly offsetMinutes: number;
}

const clockForm = '(\\d{2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d+))?)?';
const offsetForm = '(z|[+-]\\d{2}(?::?\\d{2})?)?';
const momentForm = new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})(?:[t ]${clockForm} ?${offsetForm})?$`, 'i');
const timeForm = new RegExp(`^${clockForm} ?${offsetForm}$`, 'i');

function castTime(text: string): CastResult {
  const match = timeForm.exec(text);
  const seconds = match === null ? null : secondsOfDay(match[1], match[2], match[3]);
  const offsetMinutes = parseOffset(match?.[5]);
  if (match === null || seconds === null || offsetMinutes === null)
    return castFailed(`${quote(text)} is not a valid time. Write 09:30:00.`);
  const fraction = match[4] ?? '';
  if (trimZeros(fraction).length > longestFraction)
    return castFailed(`${quote(text)} has more than ${longestFraction} digits after the second.`);
  const utcSeconds = seconds - offsetMinutes * 60; // may fall on another day
  return castSucceeded(withFraction(new Date(utcSeconds * 1000).toISOString().slice(11, 19), fraction));
}

function parseMoment(text: string): Moment | null {
  const match = momentForm.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', offset] = match;
  const midnight = midnightOf(Number(year), Number(month), Number(day));
  const seconds = secondsOfDay(hour, minute, second);
  const offsetMinutes = parseOffset(offset);
  if (midnight === null || seconds === null || offsetMinutes === null) return null;
  return { localMs: midnight + seconds * 1000, fraction, offsetMinutes };
}

function midnightOf(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC maps the years 0 to 99 to 1900 to 1999
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/** Rejects leap seconds and 24:00, which most engines cannot store. */
function secondsOfDay(hour = '0', minute = '0', second = '0'): number | null {
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  return hours < 24 && minutes < 60 && seconds < 60 ? hours * 3600 + minutes * 60 + seconds : null;
}

function parseOffset(offset: string | undefined): number | null {
  if (offset === undefined || offset.toLowerCase() === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', ''));
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const trimZeros = (fraction: string): string => fraction.replace(/(?<!0)0+$/, '');

/** A clock with the digits of a fraction of a second, without trailing zeros. */
export function withFraction(clock: string, fraction: string): string {
  const digits = trimZeros(fraction);
  return digits === '' ? clock : `${clock}.${digits}`;
}
