import type { FieldProblem } from '../errors.ts';
import { argumentNames, localVariables } from './local-variables.ts';
import { checkParameterNames } from './parameter-name.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { type SqlToken, sqlTokens } from './sql-tokens.ts';

/** The distinct `@Name`s that a text expects values for, in the order of their first use. */
export function findPlaceholders(sql: string, dialect: SqlDialect): readonly string[] {
  return [...new Set(placeholderTokens(sql, dialect).map((token) => token.text))];
}

/**
 * Puts the engine's own placeholders in place of the declared names; every other `@name` stays as it is.
 * `occurrences` has one name for each placeholder written, for engines that bind by position.
 */
export function renderPlaceholders(
  sql: string,
  dialect: SqlDialect,
  declared: ReadonlySet<string> | readonly string[],
  render: (name: string, occurrence: number, start: number) => string,
): { sql: string; occurrences: readonly string[] } {
  const names = new Set(declared);
  const occurrences: string[] = [];
  let rendered = '';
  let copied = 0;
  for (const token of placeholderTokens(sql, dialect)) {
    if (!names.has(token.text)) continue;
    rendered += sql.slice(copied, token.start) + render(token.text, occurrences.length, token.start);
    occurrences.push(token.text);
    copied = token.end;
  }
  return { sql: rendered + sql.slice(copied), occurrences };
}

/** Whether the placeholders of a query and its declared parameters agree. */
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
  // the session's variables live on: what the statement sets, its epilogue may read
  const own = new Set(texts.flatMap(({ text }) => [...localVariables(sqlTokens(text, dialect), dialect)]));
  const used = new Set<string>();
  const problems = checkParameterNames(parameters);
  for (const { field, text } of texts) {
    for (const name of findPlaceholders(text, dialect)) {
      if (!used.has(name) && !declared.has(name) && !own.has(name.toLowerCase())) {
        problems.push({ field, message: undeclared(name, declared) });
      }
      used.add(name);
    }
  }
  parameters.forEach(({ name }, index) => {
    if (used.has(name)) return;
    const glued = texts.some(({ text }) => text.includes(name));
    const advice = glued ? `Outside of strings and comments, write it with a blank before it.` : `Use it or remove it.`;
    problems.push({ field: `parameters.${index}.name`, message: `${name} is declared, but the SQL does not use it. ${advice}` });
  });
  return problems;
}

function undeclared(name: string, declared: ReadonlySet<string>): string {
  const twin = [...declared].find((other) => other.toLowerCase() === name.toLowerCase());
  if (twin !== undefined) return `${name} is not declared, ${twin} is. Names are case-sensitive.`;
  return `${name} is used, but not declared. Add it to the parameters.`;
}

function placeholderTokens(sql: string, dialect: SqlDialect): readonly SqlToken[] {
  const tokens = sqlTokens(sql, dialect);
  const own = localVariables(tokens, dialect);
  const argumentsOfCalls = argumentNames(tokens, dialect);
  return tokens.filter(
    (token) => token.type === 'variable' && !own.has(token.text.toLowerCase()) && !argumentsOfCalls.has(token),
  );
}
