import type { FieldProblem } from '../core/errors.ts';
import { checkParameterNames } from './parameter-definition.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { type SqlToken, sqlTokens } from './sql-tokens.ts';

/** The distinct `@Name`s that the text needs values for, in order of first use. */
export function findPlaceholders(sql: string, dialect: SqlDialect): readonly string[] {
  return [...new Set([...placeholderTokens(sql, dialect).placeholders].map((token) => token.text))];
}

/** Replaces the declared names with the engine's own placeholders and leaves other names alone. */
export function renderPlaceholders<Parameter>(
  sql: string,
  dialect: SqlDialect,
  declared: ReadonlyMap<string, Parameter>,
  render: (parameter: Parameter, token: SqlToken) => string,
): string {
  let rendered = '';
  let copied = 0;
  for (const token of placeholderTokens(sql, dialect).placeholders) {
    const parameter = declared.get(token.text);
    if (parameter === undefined) continue;
    rendered += sql.slice(copied, token.start) + render(parameter, token);
    copied = token.end;
  }
  return rendered + sql.slice(copied);
}

/** Checks that the placeholders of a query match its declared parameters. */
export function checkPlaceholders(
  sql: string,
  epilogue: string | undefined,
  dialect: SqlDialect,
  parameters: readonly { readonly name: string }[],
): FieldProblem[] {
  const texts = [
    { field: 'sql', text: sql },
    { field: 'epilogue', text: epilogue ?? '' },
  ];
  const declared = new Set(parameters.map((parameter) => parameter.name));
  const spelled = new Map([...declared].map((name) => [name.toLowerCase(), name]));
  // session variables persist: the epilogue may read what the statement set
  const locals = new Set(texts.flatMap(({ text }) => [...findLocalVariables(sqlTokens(text, dialect), dialect)]));
  const used = new Set<string>();
  const problems = checkParameterNames(parameters);
  for (const { field, text } of texts) {
    for (const name of findPlaceholders(text, dialect)) {
      if (!used.has(name) && !declared.has(name) && !locals.has(name.toLowerCase())) {
        problems.push({ field, message: describeUndeclared(name, spelled.get(name.toLowerCase())) });
      }
      used.add(name);
    }
  }
  parameters.forEach(({ name }, index) => {
    if (used.has(name)) return;
    const glued = texts.some(({ text }) => text.includes(name));
    const advice = glued ? `Write it outside of strings and comments, with a space before it.` : `Use it or remove it.`;
    problems.push({ field: `parameters.${index}.name`, message: `${name} is declared, but the SQL does not use it. ${advice}` });
  });
  return problems;
}

function describeUndeclared(name: string, declared: string | undefined): string {
  if (declared !== undefined) return `${name} is not declared, ${declared} is. Names are case-sensitive.`;
  return `${name} is used, but not declared. Add it to the parameters.`;
}

/** The tokens of a text, and which of them name parameters, in their order. */
export function placeholderTokens(
  sql: string,
  dialect: SqlDialect,
): { readonly tokens: readonly SqlToken[]; readonly placeholders: ReadonlySet<SqlToken> } {
  const tokens = sqlTokens(sql, dialect);
  const locals = findLocalVariables(tokens, dialect);
  const argumentsOfCalls = argumentNames(tokens, dialect);
  const placeholders = tokens.filter(
    (token) => token.type === 'variable' && !locals.has(token.text.toLowerCase()) && !argumentsOfCalls.has(token),
  );
  return { tokens, placeholders: new Set(placeholders) };
}

/**
 * Names of the variables that the SQL text sets itself, in lower case because these engines ignore case: `@x := 1`, `SET @x = 1`
 * and `INTO @x` in MySQL, `DECLARE @x int` in SQL Server.
 */
export function findLocalVariables(tokens: readonly SqlToken[], dialect: SqlDialect): ReadonlySet<string> {
  const found = new Set<string>();
  const { localVariables: kind } = dialect;
  if (kind === 'none') return found;
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
      if (isSet || (listed && (list?.assigns === false || isFollowedBy(tokens, index, '=')))) found.add(token.text.toLowerCase());
    } else if (token.text === ';' || list?.ends(token)) list = null;
  });
  return found;
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
