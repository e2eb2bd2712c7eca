import type { BoundValue } from '../../core/sql-value.ts';
import { ConnectorError } from '../connector.ts';
import type { WireValue } from './protocol.ts';

/**
 * A parameter in the storage class that SQLite itself would give to the same literal. It has neither decimals nor dates: a decimal
 * becomes an integer or a floating-point number, and a moment the text that its date functions write, in UTC. Throws where digits would be lost.
 */
export function wireValue({ name, type, value }: BoundValue): WireValue {
  if (value === null) return ['null'];
  switch (type.name) {
    case 'integer':
    case 'decimal':
      if (isInt64(value)) return ['integer', value.replace(/\.0*$/, '')];
      if (countSignificantDigits(value) > DIGITS_OF_A_REAL) {
        throw new ConnectorError(
          'failed',
          `SQLite cannot hold all ${countSignificantDigits(value)} digits of the value of ${name}.`,
        );
      }
      return ['real', value];
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

const DIGITS_OF_A_REAL = 15;

const countSignificantDigits = (text: string): number => text.replace(/[-.]/g, '').replace(/^0+/, '').length;

function isInt64(text: string): boolean {
  const [, whole] = /^(-?\d+)(?:\.0*)?$/.exec(text) ?? [];
  return whole !== undefined && BigInt.asIntN(64, BigInt(whole)) === BigInt(whole);
}
