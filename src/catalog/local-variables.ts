import type { SqlDialect } from './sql-dialect.ts';
import type { SqlToken } from './sql-tokens.ts';

/**
 * Names of the variables that the SQL text sets itself, in lower case because these engines ignore case: `@x := 1`, `SET @x = 1`
 * and `INTO @x` in MySQL, `DECLARE @x int` in SQL Server.
 */
export function findLocalVariables(tokens: readonly SqlToken[], dialect: SqlDialect): ReadonlySet<string> {
  const own = new Set<string>();
  const { localVariables: kind } = dialect;
  if (kind === 'none') return own;
  let list: VariableList | null = null;
  let depth = 0;
  tokens.forEach((token, index) => {
    const before = tokens[index - 1];
    if (token.text === '(') depth += 1;
    if (token.text === ')') depth -= 1;
    if (token.type === 'variable') {
      list = variableLists[kind].find((candidate) => candidate.opens === keyword(before)) ?? list;
      const listed = list !== null && depth === 0 && (before?.text === ',' || keyword(before) === list.opens);
      const isSet = kind === 'mysql' && isFollowedBy(tokens, index, ':', '=');
      if (isSet || (listed && (list?.assigns === false || isFollowedBy(tokens, index, '=')))) own.add(token.text.toLowerCase());
    } else if (token.text === ';' || list?.ends(token)) list = null;
  });
  return own;
}

/** The argument names of a procedure call: in `EXEC report @Region = @Region` the first name belongs to the procedure. */
export function argumentNames(tokens: readonly SqlToken[], dialect: SqlDialect): ReadonlySet<SqlToken> {
  const names = new Set<SqlToken>();
  if (dialect.localVariables !== 'sqlserver') return names;
  let inCall = false;
  tokens.forEach((token, index) => {
    const word = keyword(token);
    if (word === 'exec' || word === 'execute') inCall = true;
    else if (token.text === ';' || (word !== null && statementWords.has(word))) inCall = false;
    else if (inCall && token.type === 'variable' && isFollowedBy(tokens, index, '=')) names.add(token);
  });
  return names;
}

interface VariableList {
  readonly opens: string;
  readonly assigns: boolean; // only names followed by `=`
  readonly ends: (token: SqlToken) => boolean;
}

const statementWords = new Set(
  'select set with insert update delete merge exec execute if while begin end print declare return go'.split(' '),
);

const variableLists: Readonly<Record<'mysql' | 'sqlserver', readonly VariableList[]>> = {
  mysql: [
    { opens: 'set', assigns: true, ends: () => false },
    { opens: 'into', assigns: false, ends: (token) => token.text !== ',' },
  ],
  sqlserver: [{ opens: 'declare', assigns: false, ends: (token) => statementWords.has(keyword(token) ?? '') }],
};

function keyword(token: SqlToken | undefined): string | null {
  return token?.type === 'word' ? token.text.toLowerCase() : null;
}

function isFollowedBy(tokens: readonly SqlToken[], index: number, ...symbols: readonly string[]): boolean {
  return symbols.every((symbol, offset) => tokens[index + 1 + offset]?.text === symbol);
}
