import type { SQLInputValue } from 'node:sqlite';
import { type SqlToken, sqlTokens } from '../../../catalog/sql-tokens.ts';
import type { BoundValue } from '../../../core/sql-value.ts';
import { ConnectorError } from '../../connector.ts';
import { dialect } from '../dialect.ts';

/** An author's text that is one statement. SQLite reads `@Name` itself, so nothing is replaced. */
export interface StatementText {
  readonly sql: string;
  readonly values: Readonly<Record<string, SQLInputValue>>; // by name, '@' included
  readonly tokens: readonly SqlToken[];
}

/** A query. SQLite ensures that it only reads; the first word excludes EXPLAIN and PRAGMA, which also read. */
export function queryText(source: string, parameters: readonly BoundValue[]): StatementText {
  const text = statementText(source, parameters);
  if (/^(select|with|values)$/i.test(text.tokens[0]?.text ?? '')) return text;
  throw invalidError('Only a SELECT statement can be run here. A statement that changes rows belongs in the Epilogue.');
}

export function statementText(source: string, parameters: readonly BoundValue[]): StatementText {
  const all = sqlTokens(source, dialect);
  const separator = all.findIndex((token) => token.text === ';');
  const tokens = separator < 0 ? all : all.slice(0, separator);
  if (tokens.length === 0) throw invalidError('There is no statement in this text.');
  if (separator >= 0 && all.slice(separator).some((token) => token.text !== ';')) throw invalidError('Write one statement.');
  const sql = separator < 0 ? source : source.slice(0, all[separator]?.start);
  if (sql.includes('\0')) throw invalidError('SQLite reads no further than a NUL character.');
  return { sql, values: valuesOf(tokens, parameters), tokens };
}

/** SQLite reads unbound parameters as NULL, without an error. */
function valuesOf(tokens: readonly SqlToken[], parameters: readonly BoundValue[]): StatementText['values'] {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const values: Record<string, SQLInputValue> = {};
  for (const { type, text } of tokens) {
    if (type === 'symbol' && /^[?:$#@]/.test(text)) throw invalidError(`Write a parameter as @Name, not with ${text.charAt(0)}.`);
    if (type !== 'variable') continue;
    const parameter = byName.get(text);
    if (parameter === undefined) throw invalidError(`${text} is not declared.`);
    values[text] = inputValue(parameter);
  }
  return values;
}

const invalidError = (message: string): ConnectorError => new ConnectorError('invalid', message);

/**
 * A parameter in the storage class that SQLite itself would give to the same literal. It has neither decimals nor dates: a decimal
 * becomes an integer or a floating-point number, and a moment the text that its date functions write, in UTC. Throws where digits would be lost.
 */
export function inputValue({ name, type, value }: BoundValue): SQLInputValue {
  if (value === null) return null;
  switch (type.name) {
    case 'integer':
    case 'decimal':
      if (isInt64(value)) return BigInt(value.replace(/\.0*$/, ''));
      if (countSignificantDigits(value) > DIGITS_OF_A_REAL) {
        throw new ConnectorError(
          'failed',
          `SQLite cannot hold all ${countSignificantDigits(value)} digits of the value of ${name}.`,
        );
      }
      return Number(value);
    case 'float':
      return Number(value);
    case 'bit':
      return value === 'true' ? 1n : 0n;
    case 'datetime':
    case 'datetimeoffset':
      return value.replace('T', ' ').replace(/Z$/, '');
    case 'binary':
      return Buffer.from(value, 'base64');
    default:
      return value;
  }
}

const DIGITS_OF_A_REAL = 15;

const countSignificantDigits = (text: string): number => text.replace(/[-.]/g, '').replace(/^0+/, '').length;

function isInt64(text: string): boolean {
  const [, whole] = /^(-?\d+)(?:\.0*)?$/.exec(text) ?? [];
  return whole !== undefined && BigInt.asIntN(64, BigInt(whole)) === BigInt(whole);
}
