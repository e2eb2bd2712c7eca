/** The engines whose SQL we read, named as the kinds of databases are. */
export const sqlDialects = ['duckdb', 'sqlite', 'postgres', 'mysql', 'sqlserver', 'clickhouse', 'trino'] as const;
export type SqlDialect = (typeof sqlDialects)[number];

/** What tells code from quoted text and comments. */
export interface LexicalRules {
  /** Characters that open and close quoted text; doubled inside, they stand for themselves. */
  readonly quotes: string;
  /** Those of `quotes` inside which a backslash takes the next character with it. */
  readonly backslashIn: string;
  /** `E'…'` is a string with backslash escapes. */
  readonly escapeStrings: boolean;
  /** `[name]`, and whether `]]` is a bracket in it. */
  readonly brackets: 'none' | 'plain' | 'doubled';
  /** `$tag$…$tag$` */
  readonly dollarQuotes: boolean;
  /** Sticky; matches a comment up to the end of its line. */
  readonly lineComment: RegExp;
  readonly nestedComments: boolean;
  /** Runs of operator characters are one token, so `<@` and `@>` are operators although `<` and `>` are too. */
  readonly operatorRuns: boolean;
  /** Variables of its own that are spelled as placeholders are; see own-variables.ts. */
  readonly localVariables: 'none' | 'mysql' | 'sqlserver';
}

const plain: LexicalRules = {
  quotes: `'"`,
  backslashIn: '',
  escapeStrings: false,
  brackets: 'none',
  dollarQuotes: false,
  lineComment: /--[^\n]*/y,
  nestedComments: false,
  operatorRuns: false,
  localVariables: 'none',
};

const postgres: LexicalRules = {
  ...plain,
  escapeStrings: true,
  dollarQuotes: true,
  lineComment: /--[^\n\r]*/y,
  nestedComments: true,
  operatorRuns: true,
};

export const lexicalRules: Readonly<Record<SqlDialect, LexicalRules>> = {
  postgres,
  duckdb: postgres,
  sqlite: { ...plain, quotes: `'"\``, brackets: 'plain' },
  // version comments (/*! … */) count as comments: whether their text runs depends on the server
  mysql: {
    ...plain,
    quotes: `'"\``,
    backslashIn: `'"`,
    // `5--3` is arithmetic: the comment needs a blank or the end after its dashes
    lineComment: /(?:--(?=[\s\p{Cc}]|$)|#)[^\n]*/uy,
    localVariables: 'mysql',
  },
  sqlserver: { ...plain, brackets: 'doubled', nestedComments: true, localVariables: 'sqlserver' },
  clickhouse: {
    ...plain,
    quotes: `'"\``,
    backslashIn: `'"\``,
    dollarQuotes: true,
    lineComment: /(?:--|\/\/|#[ !])[^\n]*/y,
    nestedComments: true,
  },
  trino: { ...plain, quotes: `'"\``, lineComment: /--[^\n\r]*/y },
};
