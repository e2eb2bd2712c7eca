import { type SqlDialect, standardSql } from '../../catalog/sql-dialect.ts';
import type { ChoiceSyntax } from '../connector.ts';

/** Version comments (`/*! … *\/`) are treated as comments: whether their text runs depends on the server. */
export const dialect: SqlDialect = {
  ...standardSql,
  name: 'mysql',
  keywords: 'mysql',
  quotes: `'"\``,
  backslashIn: `'"`,
  // `5--3` is arithmetic: a comment needs whitespace or the end of the text after its dashes
  lineComment: /(?:--(?=[\s\p{Cc}]|$)|#)[^\n]*/uy,
  localVariables: 'mysql',
};

export const choices: ChoiceSyntax = {
  quote: '`',
  toText: (column) => `cast(${column} as char)`,
  contains: (text, part) => `locate(${part}, ${text}) > 0`,
  keepsOrder: false,
};
