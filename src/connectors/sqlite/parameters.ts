import type { BoundValue } from '../../sql-value.ts';
import type { WireValue } from './protocol.ts';

/**
 * A parameter in the storage class that SQLite itself would give to the same literal. It has neither decimals nor dates: a decimal
 * becomes an integer or the nearest floating-point number, and a moment the text that its date functions write, in UTC.
 */
export function wireValue({ type, value }: BoundValue): WireValue {
  if (value === null) return ['null'];
  switch (type.name) {
    case 'integer':
    case 'decimal':
      return isInt64(value) ? ['integer', value.replace(/\.0*$/, '')] : ['real', value];
    case 'float':
      return ['real', value];
    case 'bit':
      return ['integer', value === 'true' ? '1' : '0'];
    case 'datetime':
    case 'datetimeoffset':
      return ['text', value.replace('T', ' ').replace(/Z$/, '')];
    case 'binary':
      return ['blob', value];
    default:
      return ['text', value];
  }
}

function isInt64(text: string): boolean {
  const [, whole] = /^(-?\d+)(?:\.0*)?$/.exec(text) ?? [];
  return whole !== undefined && BigInt.asIntN(64, BigInt(whole)) === BigInt(whole);
}
