/** The engines whose SQL is tokenised, named like the kinds of databases. */
export const sqlDialects = ['duckdb', 'sqlite', 'postgres', 'mysql', 'sqlserver', 'clickhouse', 'trino'] as const;
export type SqlDialect = (typeof sqlDialects)[number];

export function dialectOf({ kind }: { readonly kind: string }): SqlDialect {
  const dialect = sqlDialects.find((each) => each === kind);
  if (dialect === undefined) throw new Error(`no SQL dialect for the kind ${kind}`);
  return dialect;
}

/** The rules that separate code from quoted text and comments. */
export interface LexicalRules {
  /** Characters that open and close quoted text; doubled inside, they stand for themselves. */
  readonly quotes: string;
  /** The characters of `quotes` within which a backslash escapes the next character. */
  readonly backslashIn: string;
  /** `E'…'` is a string with backslash escapes. */
  readonly escapeStrings: boolean;
  /** `[name]`, and whether `]]` stands for a bracket in it. */
  readonly brackets: 'none' | 'plain' | 'doubled';
  /** `$tag$…$tag$` */
  readonly dollarQuotes: boolean;
  /** Sticky; matches a comment to the end of its line. */
  readonly lineComment: RegExp;
  readonly nestedComments: boolean;
  /** A run of operator characters is one token, so `<@` and `@>` are operators. */
  readonly operatorRuns: boolean;
  /** Variables that are spelled like placeholders; see local-variables.ts. */
  readonly localVariables: 'none' | 'mysql' | 'sqlserver';
  /** `x not in (NULL)` is true. */
  readonly skipsNullInLists: boolean;
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
  skipsNullInLists: false,
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
  // version comments (/*! … */) are treated as comments: whether their text runs depends on the server
  mysql: {
    ...plain,
    quotes: `'"\``,
    backslashIn: `'"`,
    // `5--3` is arithmetic: a comment needs whitespace or the end of the text after its dashes
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
    skipsNullInLists: true,
  },
  trino: { ...plain, quotes: `'"\``, lineComment: /--[^\n\r]*/y },
};
