import type { SqlType } from '../../core/sql-value.ts';
import { type CastResult, castSucceeded, quote, castFailed } from './cast-result.ts';

type IntegerType = Extract<SqlType, { name: 'integer' }>;
type DecimalType = Extract<SqlType, { name: 'decimal' }>;
type FloatType = Extract<SqlType, { name: 'float' }>;

export function castInteger(text: string, type: IntegerType): CastResult {
  if (type.bits >= 32 && plainInteger.test(text)) return castSucceeded(text);
  const number = parseExact(text);
  if (number === null || number.hasExponent || number.fraction !== '') return castFailed(`${quote(text)} is not a whole number.`);
  const value = toPlainText(number);
  const [min, max] = rangeOf(type);
  const inRange = BigInt(value) >= min && BigInt(value) <= max;
  return inRange ? castSucceeded(value) : castFailed(`${quote(text)} is not between ${min} and ${max}.`);
}

export function castDecimal(text: string, type: DecimalType): CastResult {
  const number = parseExact(text);
  if (number === null) return castFailed(`${quote(text)} is not a number. Write digits with a point, as in -12.5.`);
  if (type.precision !== undefined) {
    const scale = type.scale ?? 0;
    if (number.fraction.length > scale) return castFailed(`${quote(text)} has more than ${scale} decimals.`);
    const wholeDigits = type.precision - scale;
    if (number.whole.length > wholeDigits)
      return castFailed(`${quote(text)} has more than ${wholeDigits} digits before the point.`);
  }
  return castSucceeded(toPlainText(number));
}

export function castFloat(text: string, type: FloatType): CastResult {
  if (!numberForm.test(text)) return castFailed(`${quote(text)} is not a number. Write it as 12.5 or 1.25e1.`);
  const value = type.bits === 32 ? Math.fround(Number(text)) : Number(text);
  const vanished = value === 0 && /[1-9]/.test(text.replace(/e[^]*/i, ''));
  if (!Number.isFinite(value) || vanished) return castFailed(`${quote(text)} is out of range for a ${type.bits}-bit float.`);
  if (value === 0) return castSucceeded('0'); // normalizes -0
  return castSucceeded(type.bits === 32 ? toShortestSingle(value) : String(value));
}

/** An exact number: no leading zeros in `whole`, no trailing ones in `fraction`, zero is two empty texts. */
interface ExactNumber {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly hasExponent: boolean;
}

const numberForm = /^([+-]?)(\d*)(?:\.(\d*))?(?<=\d\.?)(?:e([+-]?\d+))?$/i;
const plainInteger = /^(?:0|[1-9]\d{0,8})$/; // fast path: canonical, and in range for 32 bits and more
const largestExponent = 1000; // bounds the length of the expanded number

function parseExact(text: string): ExactNumber | null {
  const match = numberForm.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponentText] = match;
  const exponent = Number(exponentText ?? 0);
  if (Math.abs(exponent) > largestExponent) return null;
  const digits = '0'.repeat(Math.max(0, -exponent)) + whole + fraction + '0'.repeat(Math.max(0, exponent));
  const point = Math.max(0, -exponent) + whole.length + exponent;
  const number = { whole: digits.slice(0, point).replace(/^0+/, ''), fraction: trimZeros(digits.slice(point)) };
  return { ...number, negative: sign === '-' && number.whole + number.fraction !== '', hasExponent: exponentText !== undefined };
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}

function toPlainText({ negative, whole, fraction }: ExactNumber): string {
  return (negative ? '-' : '') + (whole || '0') + (fraction === '' ? '' : `.${fraction}`);
}

export function rangeOf({ bits, unsigned }: IntegerType): [bigint, bigint] {
  if (unsigned) return [0n, 2n ** BigInt(bits) - 1n];
  // tinyint is 0..255 in SQL Server and -128..127 in MySQL and DuckDB: accept both ranges, the database checks its own
  if (bits === 8) return [-128n, 255n];
  return [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
}

function toShortestSingle(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}
