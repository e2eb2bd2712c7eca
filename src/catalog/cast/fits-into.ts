import type { SqlType } from '../../core/sql-value.ts';
import { familyOf } from '../sql-type.ts';
import { rangeOf } from './cast-number.ts';
import { castValue } from './cast.ts';

/** Whether every value that callers can send for one type can be sent for the other, and means the same. */
export function fitsInto(from: SqlType, to: SqlType): boolean {
  if (familyOf(from) !== familyOf(to)) return false; // callers may send the type, which has to be of the family
  if (from.name === 'text' || from.name === 'binary') return isAtMost(from.length, 'length' in to ? to.length : undefined);
  if (familyOf(from) === 'number') return numberFits(from, to);
  return moments.every((text) => !castValue(text, from).ok || castValue(text, to).ok);
}

const isAtMost = (one: number | undefined, other: number | undefined): boolean =>
  other === undefined || (one !== undefined && one <= other);

const moments = ['2026-01-31', '2026-01-31T09:30:00', '2026-01-31T09:30:00Z'];

function numberFits(from: SqlType, to: SqlType): boolean {
  if (from.name === 'float') return to.name === 'float' && from.bits <= to.bits;
  if (to.name === 'float') return from.name === 'integer' && from.bits < (to.bits === 64 ? 64 : 32); // others lose digits
  if (from.name === 'integer') {
    const [least, most] = rangeOf(from);
    if (to.name === 'integer') return least >= rangeOf(to)[0] && most <= rangeOf(to)[1];
    return to.name === 'decimal' && isAtMost(String(most).length, wholeDigits(to));
  }
  if (from.name !== 'decimal' || to.name !== 'decimal') return false; // decimals have a fraction
  return isAtMost(wholeDigits(from), wholeDigits(to)) && isAtMost(from.scale, to.scale);
}

const wholeDigits = ({ precision, scale = 0 }: Extract<SqlType, { name: 'decimal' }>): number | undefined =>
  precision === undefined ? undefined : precision - scale;
