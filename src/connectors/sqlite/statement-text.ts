import { type SqlToken, sqlTokens } from '../../catalog/sql-tokens.ts';
import type { BoundValue } from '../../core/sql-value.ts';
import { ConnectorError } from '../connector.ts';
import { dialect } from './dialect.ts';
import { wireValue } from './parameters.ts';
import type { BoundSql } from './protocol.ts';

/** An author's text that is one statement. SQLite reads `@Name` itself, so nothing is replaced. */
export interface StatementText extends BoundSql {
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
function valuesOf(tokens: readonly SqlToken[], parameters: readonly BoundValue[]): BoundSql['values'] {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const values: Record<string, BoundSql['values'][string]> = {};
  for (const { type, text } of tokens) {
    if (type === 'symbol' && /^[?:$#@]/.test(text)) throw invalidError(`Write a parameter as @Name, not with ${text.charAt(0)}.`);
    if (type !== 'variable') continue;
    const parameter = byName.get(text);
    if (parameter === undefined) throw invalidError(`${text} is not declared.`);
    values[text] = wireValue(parameter);
  }
  return values;
}

const invalidError = (message: string): ConnectorError => new ConnectorError('invalid', message);
