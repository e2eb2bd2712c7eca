/** Batches contain dates and times as text; formats with types for them need numbers. */

/** A point in time: whole days since 1970-01-01 and the time of day. */
export interface Moment {
  days: number;
  seconds: number;
  nanos: number;
}

/** Parses `2026-01-31`, or a midnight that `readMoment` accepts. Long years have JavaScript's form: `+012026`. */
export function readDate(bytes: Uint8Array, start: number, end: number): number | undefined {
  return readMoment(bytes, start, end, scratch) && scratch.seconds === 0 && scratch.nanos === 0 ? scratch.days : undefined;
}

/** Parses `2026-01-31T09:30:00.123`, with T or a space, with or without a zone. Returns false for other text. */
export function readMoment(bytes: Uint8Array, start: number, end: number, into: Moment): boolean {
  const signed = bytes[start] === plus || bytes[start] === minus;
  const yearEnd = start + (signed ? 7 : 4);
  const dateEnd = yearEnd + 6;
  if (end < dateEnd || bytes[yearEnd] !== minus || bytes[yearEnd + 3] !== minus) return false;
  const year = readDigits(bytes, signed ? start + 1 : start, yearEnd);
  const month = readDigits(bytes, yearEnd + 1, yearEnd + 3);
  const day = readDigits(bytes, yearEnd + 4, dateEnd);
  if (year < 0 || !isDay(bytes[start] === minus ? -year : year, month, day)) return false;
  into.days = daysSince1970(bytes[start] === minus ? -year : year, month, day);
  into.seconds = 0;
  into.nanos = 0;
  return end === dateEnd || readClock(bytes, dateEnd, end, into);
}

function readClock(bytes: Uint8Array, start: number, end: number, into: Moment): boolean {
  if (end < start + 6 || (bytes[start] !== letterT && bytes[start] !== blank) || bytes[start + 3] !== colon) return false;
  const hours = readDigits(bytes, start + 1, start + 3);
  const minutes = readDigits(bytes, start + 4, start + 6);
  let at = start + 6;
  let seconds = 0;
  if (bytes[at] === colon && at < end) {
    seconds = at + 3 <= end ? readDigits(bytes, at + 1, at + 3) : -1;
    at += 3;
  }
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59) return false;
  into.seconds = hours * 3600 + minutes * 60 + seconds;
  if (at < end && bytes[at] === point) {
    const from = at + 1;
    at = from;
    while (at < end && isDigit(bytes[at])) at++;
    const digits = at - from;
    if (digits === 0 || digits > 9) return false;
    into.nanos = readDigits(bytes, from, at) * 10 ** (9 - digits);
  }
  return readZone(bytes, at, end, into);
}

function readZone(bytes: Uint8Array, start: number, end: number, into: Moment): boolean {
  if (start === end || (bytes[start] === letterZ && start + 1 === end)) return true;
  const sign = bytes[start];
  const length = end - start;
  if ((sign !== plus && sign !== minus) || (length !== 3 && length !== 6) || (length === 6 && bytes[start + 3] !== colon)) {
    return false;
  }
  const hours = readDigits(bytes, start + 1, start + 3);
  const minutes = length === 6 ? readDigits(bytes, start + 4, end) : 0;
  if (hours < 0 || minutes < 0) return false;
  const seconds = into.seconds + (hours * 3600 + minutes * 60) * (sign === plus ? -1 : 1);
  const days = Math.floor(seconds / secondsOfDay);
  into.days += days;
  into.seconds = seconds - days * secondsOfDay;
  return true;
}

/** Returns a negative number if there are other characters than digits. */
function readDigits(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    if (!isDigit(bytes[i])) return -1;
    value = value * 10 + (bytes[i] ?? 0) - zero;
  }
  return value;
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (monthLengths[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** The calendar repeats every 400 years. Years begin on 1 March here, so that the leap day is the last. */
function daysSince1970(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = ((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0;
  const dayOfEra = yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear + day - 1;
  return era * 146097 + dayOfEra - 719468;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= 57;

const scratch: Moment = { days: 0, seconds: 0, nanos: 0 };
const secondsOfDay = 86400;
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const blank = 32;
const plus = 43;
const minus = 45;
const point = 46;
const zero = 48;
const colon = 58;
const letterT = 84;
const letterZ = 90;
