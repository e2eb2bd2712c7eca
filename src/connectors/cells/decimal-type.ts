import type { SqlType } from '../../core/sql-value.ts';
import { ConnectorError } from '../connector.ts';

type DeclaredDecimal = Extract<SqlType, { name: 'decimal' }>;
type DecimalType = Required<Omit<DeclaredDecimal, 'name'>>;

const usualPrecision = 18;
const usualScale = 3;

/** A decimal declared without precision has the scale of its value, and the usual precision where that is enough. */
export function decimalOfValue(declared: DeclaredDecimal, value: string | null, maxPrecision: number): DecimalType {
  const { precision, scale = 0 } = declared;
  if (precision !== undefined) return { precision: Math.min(precision, maxPrecision), scale };
  if (value === null) return { precision: usualPrecision, scale: usualScale };
  const digits = value.replace(/[-.]/g, '').length;
  const valueScale = value.split('.')[1]?.length ?? 0;
  return { precision: digits <= usualPrecision ? usualPrecision : maxPrecision, scale: valueScale };
}

const manyDecimals = 10;

/** A decimal declared without precision has the largest one, with at least ten decimals if the value leaves room for them. */
export function widenDecimal(
  engine: string,
  { precision, scale = 0 }: DeclaredDecimal,
  value: string | null,
  maxPrecision: number,
): DecimalType {
  if (precision !== undefined && precision <= maxPrecision) return { precision, scale };
  const [whole = '', fraction = ''] = (value ?? '').replace('-', '').split('.');
  if (whole.length + fraction.length > maxPrecision) {
    throw new ConnectorError('failed', `${engine}'s decimals have at most ${maxPrecision} digits.`);
  }
  const room = Math.min(manyDecimals, maxPrecision - whole.length);
  return { precision: maxPrecision, scale: Math.max(fraction.length, room) };
}
