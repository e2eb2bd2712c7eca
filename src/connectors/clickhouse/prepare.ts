import { sqlTokens } from '../../catalog/sql-tokens.ts';
import type { Column } from '../../results/column.ts';
import { ConnectorError } from '../connector.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { ownRows } from './own-rows.ts';
import type { RenderedSql } from './parameters.ts';
import type { Requests } from './request.ts';

const keptProofs = 500;

/** The texts that ClickHouse has read as queries: what a text is by the grammar it stays. */
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

/** The columns of a query, told by the server without running it: between these parentheses there is room for a SELECT only. */
export async function prepare(database: Database, requests: Requests, rendered: RenderedSql): Promise<readonly Column[]> {
  checkParentheses(rendered);
  try {
    const rows = await ownRows(database, requests, `DESCRIBE TABLE (\n${rendered.sql}\n)`, rendered.values);
    database.proofs.add(rendered.sql);
    return columnsOf(rows.map(([name = '', type = '']) => ({ name, type })));
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
}

/** A parenthesis that closes ours would make the text something else there than it is by itself. */
function checkParentheses({ source }: RenderedSql): void {
  let depth = 0;
  for (const { type, text } of sqlTokens(source, 'clickhouse')) {
    if (type !== 'symbol') continue;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth < 0) break;
  }
  if (depth !== 0) throw new ConnectorError('invalid', 'The parentheses of the query do not match.');
}
