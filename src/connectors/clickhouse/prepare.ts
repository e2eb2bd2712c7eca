import type { Column } from '../../results/column.ts';
import { checkParentheses } from '../query-text.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { ownRows } from './own-rows.ts';
import type { RenderedSql } from './parameters.ts';
import type { Requests } from './request.ts';

/** The columns of a query without running it. The grammar allows only a SELECT in these parentheses. */
export async function prepare(database: Database, requests: Requests, rendered: RenderedSql): Promise<readonly Column[]> {
  checkParentheses(rendered.source, 'clickhouse');
  try {
    const rows = await ownRows(database, requests, `DESCRIBE TABLE (\n${rendered.sql}\n)`, rendered.values);
    database.proven.add(rendered.sql);
    return columnsOf(rows.map(([name = '', type = '']) => ({ name, type })));
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
}
