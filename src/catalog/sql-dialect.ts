/** How the SQL of an engine is read: the rules that separate code from quoted text and comments. */
export interface SqlDialect {
  readonly name: string; // the kind of the engine
  /** Whose keywords the editor completes and highlights. */
  readonly keywords: 'standard' | 'postgres' | 'mysql' | 'sqlserver' | 'sqlite';
  /** Characters that open and close quoted text; a doubled one is a literal character. */
  readonly quotes: string;
  /** The characters of `quotes` within which a backslash escapes the next character. */
  readonly backslashIn: string;
  /** `E'…'` is a string with backslash escapes. */
  readonly escapeStrings: boolean;
  /** `[name]`, and whether `]]` is a literal bracket in it. */
  readonly brackets: 'none' | 'plain' | 'doubled';
  /** `$tag$…$tag$` */
  readonly dollarQuotes: boolean;
  /** Sticky; matches a comment to the end of its line. */
  readonly lineComment: RegExp;
  readonly nestedComments: boolean;
  /** A run of operator characters is one token, so `<@` and `@>` are operators. */
  readonly operatorRuns: boolean;
  /** Variables that are spelled like placeholders; see placeholders.ts. */
  readonly localVariables: 'none' | 'mysql' | 'sqlserver';
  /** `x not in (NULL)` is true. */
  readonly skipsNullInLists: boolean;
}

/** An engine replaces the rules in which it differs. */
export const standardSql: SqlDialect = {
  name: 'standard',
  keywords: 'standard',
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

/** Of PostgreSQL and of engines with its parser. */
export const postgresSql: SqlDialect = {
  ...standardSql,
  name: 'postgres',
  keywords: 'postgres',
  escapeStrings: true,
  dollarQuotes: true,
  lineComment: /--[^\n\r]*/y,
  nestedComments: true,
  operatorRuns: true,
};
