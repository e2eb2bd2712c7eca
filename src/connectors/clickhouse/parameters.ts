import type { BoundValue, SqlType } from '../../core/sql-value.ts';
import { widenDecimal } from '../cells/decimal-type.ts';
import { type MarkedSql, markSql } from '../statements/marked-sql.ts';
import { dialect } from './dialect.ts';

/** An author's SQL with ClickHouse's typed parameters, and their values. */
export interface RenderedSql extends MarkedSql {
  readonly values: Readonly<Record<string, string | null>>;
}

/** `@Region` becomes `{p0:Nullable(String)}`, whose value is sent separately. A name that is used twice is sent once. */
export function renderParameters(source: string, parameters: readonly BoundValue[]): RenderedSql {
  const marked = markSql(source, dialect, parameters, ({ type, value }, index) => {
    const mark = `{p${index}:Nullable(${typeOf(type, value)})}`;
    return type.name === 'binary' ? `base64Decode(${mark})` : mark;
  });
  return {
    ...marked,
    values: Object.fromEntries(marked.used.map(({ type, value }, index) => [`p${index}`, textOf(type, value)])),
  };
}

function typeOf(type: SqlType, value: string | null): string {
  switch (type.name) {
    case 'integer':
      return `${type.unsigned ? 'U' : ''}Int${type.bits}`;
    case 'decimal': {
      const { precision, scale } = widenDecimal('ClickHouse', type, value, maxPrecision);
      return `Decimal(${precision}, ${scale})`;
    }
    case 'float':
      return `Float${type.bits}`;
    case 'bit':
      return 'Bool';
    case 'date':
      return 'Date32';
    case 'datetime':
    case 'datetimeoffset':
      return `DateTime64(${/\.\d{7}/.test(value ?? '') ? 9 : 6}, 'UTC')`;
    case 'uuid':
      return 'UUID';
    default:
      return 'String'; // also for time and json, which have no parameter types
  }
}

const maxPrecision = 76;

function textOf(type: SqlType, value: string | null): string | null {
  if (value === null || (type.name !== 'datetime' && type.name !== 'datetimeoffset')) return value;
  return value.replace('T', ' ').replace('Z', '');
}
