import type { SqlDialect } from '../catalog/sql-dialect.ts';
import { sqlTokens } from '../catalog/sql-tokens.ts';
import { ConnectorError } from './connector.ts';

/** For engines where a text is proven to be a query by placing it in the parentheses of another statement. */

/** A closing parenthesis of the text must not close ours. Throws `invalid`. */
export function checkParentheses(source: string, dialect: SqlDialect): void {
  let depth = 0;
  for (const { type, text } of sqlTokens(source, dialect)) {
    if (type !== 'symbol') continue;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth < 0) break;
  }
  if (depth !== 0) throw new ConnectorError('invalid', 'The parentheses of the query do not match.');
}

/** Replaces a trailing semicolon by a space: positions do not change. */
export function withoutLastSemicolon(source: string, dialect: SqlDialect): string {
  const last = sqlTokens(source, dialect).at(-1);
  return last?.text === ';' ? `${source.slice(0, last.start)} ${source.slice(last.end)}` : source;
}

const mostKept = 500;

/** The latest texts that the engine has accepted as queries. */
export class ProvenQueries {
  readonly #texts = new Set<string>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    this.#texts.add(text);
    for (const oldest of this.#texts) {
      if (this.#texts.size <= mostKept) break;
      this.#texts.delete(oldest);
    }
  }
}
