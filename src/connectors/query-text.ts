import type { SqlDialect } from '../catalog/sql-dialect.ts';
import { sqlTokens } from '../catalog/sql-tokens.ts';
import { ConnectorError } from './connector.ts';

/** For engines that have a text read as a query by putting it between the parentheses of a statement of ours. */

/** A parenthesis that closes ours would make the text something else there than it is by itself. Throws `invalid`. */
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

/** A blank in the place of a semicolon at the end: every position stays what it is. */
export function withoutLastSemicolon(source: string, dialect: SqlDialect): string {
  const last = sqlTokens(source, dialect).at(-1);
  return last?.text === ';' ? `${source.slice(0, last.start)} ${source.slice(last.end)}` : source;
}

const mostKept = 500;

/** The texts that the engine has read as queries, the latest of them: what a text is by the grammar it stays. */
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
