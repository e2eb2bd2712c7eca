import type { ByteWriter } from '../../../../results/byte-writer.ts';

const dash = 45;
const dot = 46;
const colon = 58;
const letterT = 84;
const letterZ = 90;

/** `2026-01-31`, by days since 1970. Years beyond four digits are written as ISO 8601 and JavaScript do: `+012026-01-31`. */
export function writeDate(out: ByteWriter, days: number): void {
  // the calendar repeats every 400 years; years start on 1 March, so that the leap day is the last day
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const leaps = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36524) | 0) + ((dayOfEra / 146096) | 0);
  const yearOfEra = ((dayOfEra - leaps) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);

  out.reserve(16);
  if (year >= 0 && year <= 9999) out.digits(year, 4);
  else out.ascii(`${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`);
  out.byte(dash);
  out.digits(month, 2);
  out.byte(dash);
  out.digits(day, 2);
}

/** `2026-01-31T09:30:00.123`, by seconds since 1970 and a fraction of that many digits, written without trailing zeros. */
export function writeTimestamp(out: ByteWriter, seconds: number, fraction: number, digits: number, zoned: boolean): void {
  const days = Math.floor(seconds / 86400);
  writeDate(out, days);
  out.reserve(24);
  out.byte(letterT);
  writeClock(out, seconds - days * 86400, fraction, digits);
  if (zoned) out.byte(letterZ);
}

/** `09:30:00.5`, by units of 10^-digits seconds since midnight. */
export function writeTime(out: ByteWriter, units: number, digits: number): void {
  const seconds = Math.floor(units / 10 ** digits);
  out.reserve(24);
  writeClock(out, seconds, units - seconds * 10 ** digits, digits);
}

function writeClock(out: ByteWriter, seconds: number, fraction: number, digits: number): void {
  const hours = (seconds / 3600) | 0;
  const minutes = ((seconds - hours * 3600) / 60) | 0;
  out.digits(hours, 2);
  out.byte(colon);
  out.digits(minutes, 2);
  out.byte(colon);
  out.digits(seconds - hours * 3600 - minutes * 60, 2);
  if (fraction === 0) return;
  while (fraction % 10 === 0) {
    fraction /= 10;
    digits--;
  }
  out.byte(dot);
  out.digits(fraction, digits);
}
