import type { BoundValue, SqlType } from '../../sql-value.ts';
import { widestDecimal } from '../decimal-type.ts';
import { type MarkedSql, markSql } from '../marked-sql.ts';

/** An author's SQL with ClickHouse's typed parameters, and their values. */
export interface RenderedSql extends MarkedSql {
  readonly values: Readonly<Record<string, string | null>>;
}

/** `@Region` becomes `{p0:Nullable(String)}`, whose value is sent separately. A name that is used twice is sent once. */
export function renderParameters(source: string, parameters: readonly BoundValue[]): RenderedSql {
  const byName = new Map(parameters.map((parameter, index) => [parameter.name, { ...parameter, mark: `p${index}` }]));
  const marked = markSql(source, 'clickhouse', [...byName.keys()], (name) => {
    const found = byName.get(name);
    if (found === undefined) throw new RangeError(`${name} is not declared.`);
    const mark = `{${found.mark}:Nullable(${typeOf(found.type, found.value)})}`;
    return found.type.name === 'binary' ? `base64Decode(${mark})` : mark;
  });
  const used = [...new Set(marked.names)].flatMap((name) => byName.get(name) ?? []);
  return { ...marked, values: Object.fromEntries(used.map(({ mark, type, value }) => [mark, textOf(type, value)])) };
}

function typeOf(type: SqlType, value: string | null): string {
  switch (type.name) {
    case 'integer':
      return `${type.unsigned ? 'U' : ''}Int${type.bits}`;
    case 'decimal': {
      const { precision, scale } = widestDecimal('ClickHouse', type, value, maxPrecision);
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
