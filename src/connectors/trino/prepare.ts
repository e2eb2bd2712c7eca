import type { Column } from '../../results/column.ts';
import { ConnectorError } from '../connector.ts';
import { checkParentheses } from '../query-text.ts';
import { shortWorkMs } from '../run-deadline.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { columnsText, type RenderedSql } from './parameters.ts';
import type { QueryClient } from './query-client.ts';

/** Prepares the text as a query, without running it, and returns its columns. Throws `invalid`. */
export async function prepare(database: Database, query: QueryClient, rendered: RenderedSql): Promise<readonly Column[]> {
  checkParentheses(rendered.source, 'trino');
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
    database.proven.add(rendered.sql);
    return columnsOf(columns);
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
}
