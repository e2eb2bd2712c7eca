import { attributeIn } from '../../catalog/caller-identity.ts';
import { isBound } from '../../catalog/parameter.ts';
import type { QueryDefinition } from '../../catalog/query.ts';
import type { SqlDialect } from '../../catalog/sql-dialect.ts';
import { sqlTokens } from '../../catalog/sql-tokens.ts';
import type { Engine } from '../../connectors/connector.ts';

/** Warnings about a valid query, for its author. */
export function warningsOf(
  { label, showsValues, dialect }: Engine,
  { sql, epilogue, parameters }: QueryDefinition,
  knownAttributes: ReadonlySet<string>,
): readonly string[] {
  const masked = parameters.filter((each) => each.masked === true && showsValues === true);
  const bound = parameters.filter(isBound);
  const unknown = bound.filter(({ boundTo }) => {
    const attribute = attributeIn(boundTo);
    return attribute !== null && !knownAttributes.has(attribute);
  });
  const comparedWithNull = bound.filter(({ name }) =>
    [sql, epilogue ?? ''].some((text) => isComparedWithNull(text, name, dialect)),
  );
  return [
    ...masked.map(
      ({ name }) =>
        `${name} is masked here, but ${label} receives its value within the statement text, so operators of the cluster see it in the query history.`,
    ),
    ...unknown.map(({ name, boundTo }) => `${name} is bound to ${boundTo}, which no user has. Callers without it are refused.`),
    ...comparedWithNull.map(
      ({ name }) =>
        `${name} is bound to the caller and is never NULL, so that "${name} is null" is never true. Remove it: it would open all rows to everyone if the parameter were no longer bound.`,
    ),
  ];
}

function isComparedWithNull(text: string, name: string, dialect: SqlDialect): boolean {
  const words = sqlTokens(text, dialect).map((token) => (token.type === 'word' ? token.text.toLowerCase() : token.text));
  return words.some((word, index) => {
    if (word !== 'is' || words[index + 1] !== 'null') return false;
    const operand = words[index - 1] === ')' ? words[index - 2] : words[index - 1];
    return operand === name;
  });
}
