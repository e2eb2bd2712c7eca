import { sqlTokens } from '../../catalog/sql-tokens.ts';
import { ConnectorError } from '../connector.ts';
import { immediate, type RenderedSql } from './parameters.ts';

/**
 * The author's text where Trino's grammar has room for a query and for nothing else: between the parentheses of a WITH.
 * What gets through can only read, and LIMIT 0 lets the planner drop all work; so the answer has the columns and no rows.
 */
export function columnsOnly({ sql, values }: RenderedSql): string {
  return immediate(`WITH sluice_query AS (${onOneLineLess(sql)}\n) SELECT * FROM sluice_query LIMIT 0`, values);
}

/** A parenthesis that closes ours would make the text something else here than it is by itself. */
export function checkParentheses({ source }: RenderedSql): void {
  let depth = 0;
  for (const { type, text } of sqlTokens(source, 'trino')) {
    if (type !== 'symbol') continue;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth < 0) break;
  }
  if (depth !== 0) throw new ConnectorError('invalid', 'The parentheses of the query do not match.');
}

// the line break before the text comes after the parenthesis, so that the author's lines are counted as everywhere
const onOneLineLess = (sql: string): string => `\n${sql}`;
