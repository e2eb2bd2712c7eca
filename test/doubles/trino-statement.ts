import type { DoubleFailure } from './trino.ts';

export interface ReadStatement {
  /** The statement of the author. */
  readonly sql: string;
  /** The text that error positions refer to. */
  readonly text: string;
  /** The values of its question marks. */
  readonly values: readonly (string | null)[];
  readonly isQuery: boolean;
  /** Only the columns are requested. */
  readonly onlyColumns: boolean;
}

/** Parses a statement by the rules of Trino's grammar that matter here, independently of the connector. */
export function readStatement(body: string): ReadStatement | DoubleFailure {
  const found = readExecute(body);
  if (found === undefined) return syntaxError(body, 0, 'mismatched input');
  const { text, values } = found;
  const wrapped = /^WITH sluice_query AS \(\n([\s\S]*)\n\) SELECT \* FROM sluice_query LIMIT 0$/.exec(text);
  const sql = (wrapped?.[1] ?? text).replace(/^\n/, '');
  const code = withoutQuoted(sql);
  const isQuery = /^[\s(]*(SELECT|WITH|TABLE|VALUES)\b/i.test(code);
  const start = text.indexOf(sql);
  const semicolon = code.indexOf(';');
  if (semicolon >= 0) return syntaxError(text, start + semicolon, "mismatched input ';'. Expecting: <EOF>");
  if (wrapped !== null && !isQuery) {
    const at = start + Math.max(0, code.search(/\S/));
    const [first = '<EOF>'] = /\S+/.exec(code) ?? [];
    return syntaxError(text, at, `mismatched input '${first}'. Expecting: '(', 'SELECT', 'TABLE', 'VALUES', 'WITH', <query>`);
  }
  const marks = code.split('?').length - 1;
  if (marks !== values.length) {
    const message = `line 1:1: Incorrect number of parameters: expected ${marks} but found ${values.length}`;
    return { message, errorName: 'INVALID_PARAMETER_USAGE', errorType: 'USER_ERROR' };
  }
  return { sql: sql.trim(), text, values, isQuery, onlyColumns: wrapped !== null };
}

export function failureAt(text: string, at: number, errorName: string, message: string): DoubleFailure {
  const lines = text.slice(0, at).split('\n');
  const errorLocation = { lineNumber: lines.length, columnNumber: (lines.at(-1) ?? '').length + 1 };
  const place = `line ${errorLocation.lineNumber}:${errorLocation.columnNumber}`;
  return { message: `${place}: ${message}`, errorName, errorType: 'USER_ERROR', errorLocation };
}

const syntaxError = (text: string, at: number, message: string): DoubleFailure => failureAt(text, at, 'SYNTAX_ERROR', message);

/** The text itself, or that of EXECUTE IMMEDIATE with its values; undefined when these are not literals. */
function readExecute(body: string): { text: string; values: (string | null)[] } | undefined {
  if (!body.startsWith('EXECUTE IMMEDIATE ')) return { text: body, values: [] };
  const literals = body.slice('EXECUTE IMMEDIATE '.length);
  const first = /^'((?:[^']|'')*)'(?: USING ([\s\S]*))?$/.exec(literals);
  if (first === null) return undefined;
  const values: (string | null)[] = [];
  let rest = first[2] ?? '';
  while (rest !== '') {
    const value = /^(?:NULL|\d+|'((?:[^']|'')*)')(?:, |$)/.exec(rest);
    if (value === null) return undefined;
    values.push(value[1] === undefined ? null : unquote(value[1]));
    rest = rest.slice(value[0].length);
  }
  return { text: unquote(first[1] ?? ''), values };
}

const unquote = (text: string): string => text.replaceAll("''", "'");

/** Replaces quoted text and comments by blanks of the same length. */
function withoutQuoted(sql: string): string {
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n\r]*|\/\*[\s\S]*?\*\//g, (quoted) => ' '.repeat(quoted.length));
}
