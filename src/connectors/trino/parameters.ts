import type { BoundValue, SqlType } from '../../core/sql-value.ts';
import { widenDecimal } from '../cells/decimal-type.ts';
import { type MarkedSql, markSql } from '../statements/marked-sql.ts';
import { dialect } from './dialect.ts';

/** An author's SQL with Trino's placeholders, and the expressions to bind, in order. */
export interface RenderedSql extends MarkedSql {
  readonly values: readonly string[]; // 'text' or NULL, nothing else
}

/**
 * `@Region` becomes `CAST(? AS varchar)`. Every value, of whatever type, is bound as one text literal: there is one rule of
 * quoting to get right, and Trino itself reads the value as its declared type.
 */
export function renderParameters(source: string, parameters: readonly BoundValue[]): RenderedSql {
  const marked = markSql(source, dialect, parameters, markOf);
  return { ...marked, values: marked.marked.map(toLiteral) };
}

/** The number of lines before the author's text in every statement. */
export const linesBefore = 1;

/** The author's statement. Errors count lines from its literal or from the whole text, which is the same here. */
export function statementText({ sql, values }: RenderedSql): string {
  return toExecuteImmediate(`\n${sql}`, values);
}

/**
 * The author's text in the parentheses of a WITH, where Trino's grammar allows only a query. So the text can only read, and with
 * LIMIT 0 the planner removes all work: the response has the columns and no rows.
 */
export function columnsText({ sql, values }: RenderedSql): string {
  return toExecuteImmediate(`WITH sluice_query AS (\n${sql}\n) SELECT * FROM sluice_query LIMIT 0`, values);
}

function toExecuteImmediate(sql: string, values: readonly string[]): string {
  return values.length === 0 ? sql : `EXECUTE IMMEDIATE ${quoteText(sql)} USING ${values.join(', ')}`;
}

/** In Trino's string literals only quotes are escaped, by doubling. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function markOf({ type, value }: BoundValue): string {
  if (type.name === 'json') return 'json_parse(CAST(? AS varchar))';
  if (type.name === 'binary') return 'from_base64(CAST(? AS varchar))';
  return `CAST(? AS ${castOf(type, value)})`;
}

function toLiteral({ type, value }: BoundValue): string {
  if (value === null) return 'NULL';
  if (type.name === 'datetime') return quoteText(value.replace('T', ' '));
  if (type.name === 'datetimeoffset') return quoteText(value.replace('T', ' ').replace('Z', ' UTC'));
  return quoteText(value);
}

function castOf(type: SqlType, value: string | null): string {
  switch (type.name) {
    case 'integer':
      return integerOf(type.unsigned ? type.bits * 2 : type.bits); // unsigned values need the next larger type
    case 'decimal': {
      const { precision, scale } = widenDecimal('Trino', type, value, maxPrecision);
      return `decimal(${precision},${scale})`;
    }
    case 'float':
      return type.bits === 32 ? 'real' : 'double';
    case 'bit':
      return 'boolean';
    case 'datetime':
      return `timestamp(${precisionOf(value)})`;
    case 'datetimeoffset':
      return `timestamp(${precisionOf(value)}) with time zone`;
    case 'time':
      return `time(${precisionOf(value)})`;
    case 'date':
    case 'uuid':
      return type.name;
    default:
      return 'varchar';
  }
}

function integerOf(bits: number): string {
  if (bits <= 8) return 'tinyint';
  if (bits <= 16) return 'smallint';
  if (bits <= 32) return 'integer';
  return bits <= 64 ? 'bigint' : 'decimal(20,0)';
}

const maxPrecision = 38;

const precisionOf = (value: string | null): 6 | 12 => (/\.\d{7}/.test(value ?? '') ? 12 : 6);
