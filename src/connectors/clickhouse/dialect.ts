import { type SqlDialect, standardSql } from '../../catalog/sql-dialect.ts';
import type { ChoiceSyntax } from '../connector.ts';

export const dialect: SqlDialect = {
  ...standardSql,
  name: 'clickhouse',
  quotes: `'"\``,
  backslashIn: `'"\``,
  dollarQuotes: true,
  lineComment: /(?:--|\/\/|#[ !])[^\n]*/y,
  nestedComments: true,
  skipsNullInLists: true,
};

export const choices: ChoiceSyntax = {
  quote: '`',
  toText: (column) => `toString(${column})`,
  contains: (text, part) => `position(${text}, ${part}) > 0`,
  keepsOrder: true,
};
