import type { SqlDialect } from './sql-dialect.ts';

export interface SqlToken {
  readonly type: 'word' | 'variable' | 'quoted' | 'symbol';
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The tokens of a text without whitespace and comments. A `variable` is `@name` in code; `@@setting`, `user@host` and `<@` are
 * not. Unclosed strings and comments extend to the end.
 */
export function sqlTokens(sql: string, dialect: SqlDialect): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  let at = 0;
  while (at < sql.length) {
    const skipped = findBlankOrCommentEnd(sql, at, dialect);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const before = tokens.at(-1);
    const glued = before !== undefined && before.end === at && (before.type === 'word' || before.type === 'quoted');
    const [type, end] = readToken(sql, at, glued ? before : undefined, dialect);
    tokens.push({ type, start: at, end, text: sql.slice(at, end) });
    at = end;
  }
  return tokens;
}

/** Without the semicolon at the end, for a text that becomes part of another one. */
export function trimSemicolon(sql: string, dialect: SqlDialect): string {
  const last = sqlTokens(sql, dialect).at(-1);
  return last?.text === ';' ? `${sql.slice(0, last.start)} ${sql.slice(last.end)}` : sql;
}

/** Columns count characters, offsets UTF-16 units. */
export function positionAt(sql: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = sql.slice(0, offset).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

const blank = /\s+/y;
const word = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_$]*/uy;
const variable = /@[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
const dollarTag = /\$(?:[\p{L}_][\p{L}\p{M}\p{N}_]*)?\$/uy;
const operatorRun = /(?:(?!--|\/\*)[-+*/<>=~!@#%^&|`?])+/y;
const operatorThatEndsWithAt = /(?:<@|@@|@-@|\^@|\?@)$/;

function readToken(sql: string, at: number, glued: SqlToken | undefined, rules: SqlDialect): [SqlToken['type'], number] {
  const char = sql.charAt(at);
  if (rules.quotes.includes(char)) {
    const escapes = rules.backslashIn.includes(char) || (rules.escapeStrings && char === "'" && isEscapePrefix(glued));
    return ['quoted', findQuoteEnd(sql, at, char, escapes)];
  }
  if (char === '[' && rules.brackets !== 'none') return ['quoted', bracketEnd(sql, at, rules.brackets === 'doubled')];
  if (char === '$' && rules.dollarQuotes) {
    const tagEnd = matchEnd(dollarTag, sql, at);
    if (tagEnd > at) return ['quoted', endOf(sql, sql.slice(at, tagEnd), tagEnd)];
  }
  const wordEnd = matchEnd(word, sql, at);
  if (wordEnd > at) return ['word', wordEnd];
  if (rules.operatorRuns) return operatorOrVariable(sql, at, glued);
  if (char === '@') return readAtSign(sql, at, glued);
  return ['symbol', at + 1];
}

function isEscapePrefix(token: SqlToken | undefined): boolean {
  return token?.type === 'word' && token.text.toLowerCase() === 'e';
}

/** PostgreSQL reads the longest run as one operator. If the run is not an operator, an `@` at its end begins a placeholder. */
function operatorOrVariable(sql: string, at: number, glued: SqlToken | undefined): [SqlToken['type'], number] {
  const end = matchEnd(operatorRun, sql, at);
  if (end === at) return ['symbol', at + 1];
  const run = sql.slice(at, end);
  if (run === '@') return readAtSign(sql, at, glued);
  if (!run.endsWith('@')) return ['symbol', end];
  return operatorThatEndsWithAt.test(run) ? ['symbol', Math.max(end, matchEnd(word, sql, end))] : ['symbol', end - 1];
}

function readAtSign(sql: string, at: number, glued: SqlToken | undefined): [SqlToken['type'], number] {
  const end = matchEnd(variable, sql, at);
  // `@a$b` is a longer name in the engines that support it, and not a placeholder
  if (end > at && glued === undefined && sql.charAt(end) !== '$') return ['variable', end];
  let next = at + 1;
  while (sql.charAt(next) === '@') next += 1;
  return ['symbol', Math.max(next, matchEnd(word, sql, next))];
}

function findBlankOrCommentEnd(sql: string, at: number, rules: SqlDialect): number {
  const afterBlank = matchEnd(blank, sql, at);
  if (afterBlank > at) return afterBlank;
  if (sql.startsWith('/*', at)) return blockCommentEnd(sql, at, rules.nestedComments);
  return matchEnd(rules.lineComment, sql, at);
}

function blockCommentEnd(sql: string, start: number, nested: boolean): number {
  if (!nested) return endOf(sql, '*/', start + 2);
  let depth = 0;
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  for (let found = edge.exec(sql); found !== null; found = edge.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return sql.length;
}

function findQuoteEnd(sql: string, start: number, quote: string, escapes: boolean): number {
  for (let at = start + 1; at < sql.length; at += 1) {
    const char = sql.charAt(at);
    if (char === '\\' && escapes) at += 1;
    else if (char === quote) {
      if (sql.charAt(at + 1) !== quote) return at + 1;
      at += 1;
    }
  }
  return sql.length;
}

function bracketEnd(sql: string, start: number, doubled: boolean): number {
  let end = endOf(sql, ']', start + 1);
  while (doubled && sql.charAt(end) === ']') end = endOf(sql, ']', end + 1);
  return end;
}

function endOf(sql: string, closing: string, from: number): number {
  const found = sql.indexOf(closing, from);
  return found === -1 ? sql.length : found + closing.length;
}

function matchEnd(sticky: RegExp, sql: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(sql) ? sticky.lastIndex : at;
}
