import type { ByteWriter } from '../../results/byte-writer.ts';

const dot = 46;
const colon = 58;

/** `09:30:00.5`: the fraction has that many digits and is written without zeros at its end. */
export function writeClock(out: ByteWriter, hours = 0, minutes = 0, seconds = 0, fraction = 0, digits = 6): void {
  out.reserve(24);
  out.digits(hours, hours < 100 ? 2 : 3);
  out.byte(colon);
  out.digits(minutes, 2);
  out.byte(colon);
  out.digits(seconds, 2);
  if (fraction === 0) return;
  while (fraction % 10 === 0) {
    fraction /= 10;
    digits--;
  }
  out.byte(dot);
  out.digits(fraction, digits);
}
