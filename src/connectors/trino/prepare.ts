import { sqlTokens } from '../../catalog/sql-tokens.ts';
import type { Column } from '../../results/column.ts';
import { ConnectorError } from '../connector.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { columnsText, type RenderedSql } from './parameters.ts';
import type { QueryClient } from './query-client.ts';

const keptProofs = 500;

/** The texts that Trino has read as queries: what a text is by the grammar it stays. */
export class Proofs {
  readonly #texts = new Set<string>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    this.#texts.add(text);
    for (const oldest of this.#texts) {
      if (this.#texts.size <= keptProofs) break;
      this.#texts.delete(oldest);
    }
  }
}

/** Has Trino read the text as a query, which runs nothing, and tells its columns. Throws `invalid`. */
export async function prepare(database: Database, query: QueryClient, rendered: RenderedSql): Promise<readonly Column[]> {
  checkParentheses(rendered);
  try {
    let page = await query.submit(columnsText(rendered), database.headers(shortWorkMs));
    let columns = page.columns;
    for (;;) {
      const next = await query.next();
      if (next === undefined) break;
      page = next;
      columns ??= page.columns;
    }
    if (columns === undefined) throw new ConnectorError('invalid', 'Only a query that returns rows can be run here.');
    database.proofs.add(rendered.sql);
    return columnsOf(columns);
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
}

export const shortWorkMs = 30_000;

/** A parenthesis that closes ours would make the text something else there than it is by itself. */
function checkParentheses({ source }: RenderedSql): void {
  let depth = 0;
  for (const { type, text } of sqlTokens(source, 'trino')) {
    if (type !== 'symbol') continue;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth < 0) break;
  }
  if (depth !== 0) throw new ConnectorError('invalid', 'The parentheses of the query do not match.');
}
