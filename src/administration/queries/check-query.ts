import { isInScope, type Principal } from '../../access/principal.ts';
import { attributeIn } from '../../catalog/caller-identity.ts';
import { checkParameterDefinitions } from '../../catalog/parameter-definition.ts';
import { sendableParameters, isBound, findMisplacedList } from '../../catalog/parameter.ts';
import { checkPlaceholders, findPlaceholders } from '../../catalog/placeholders.ts';
import type { ParameterChoices, ParameterDefinition, Query, QueryDefinition } from '../../catalog/query.ts';
import type { SqlDialect } from '../../catalog/sql-dialect.ts';
import { positionAt, sqlTokens } from '../../catalog/sql-tokens.ts';
import { familyOf, parseSqlType } from '../../catalog/sql-type.ts';
import { type Connector, ConnectorError, type ParameterType, type Engine } from '../../connectors/connector.ts';
import type { ColumnKind, Column } from '../../core/column.ts';
import { type FieldProblem, failed, type Result, succeeded } from '../../core/errors.ts';
import type { TypeFamily } from '../../core/sql-value.ts';
import { labelColumns } from '../../results/columns.ts';
import type { QueryRepository } from '../../store/metadata-store.ts';
import { sqlInvalid } from '../author-failure.ts';

/** Checks that the choices of parameters can be read: their queries, columns, types and dependencies. */
export async function checkChoices(
  store: { readonly queries: Pick<QueryRepository, 'byQueryName'> },
  actor: Principal,
  query: Pick<Query, 'id' | 'queryName'>,
  { parameters }: Pick<QueryDefinition, 'parameters'>,
): Promise<Result<null>> {
  const problems: FieldProblem[] = parameters.flatMap((each, index) =>
    dependsOnItself(each, parameters)
      ? [
          {
            field: `parameters.${index}.choices.parameters`,
            message: `The choices of ${each.name} depend on ${each.name} itself.`,
          },
        ]
      : [],
  );
  for (const [index, parameter] of parameters.entries()) {
    const { choices } = parameter;
    if (choices === undefined) continue;
    const field = `parameters.${index}.choices`;
    const source = await store.queries.byQueryName(choices.query);
    if (source === null || source.status !== 'Active' || !isInScope(actor, source.current.definition.databaseId))
      problems.push({ field: `${field}.query`, message: `There is no Active query ${choices.query} in your scope.` });
    else if (await leadsTo(store, source, query))
      problems.push({ field: `${field}.query`, message: `The choices of ${choices.query} lead back to this query.` });
    else problems.push(...checkChoiceSource(field, parameter, choices, parameters, source));
  }
  return failOnAny(problems);
}

const dependenciesOf = ({ choices }: ParameterDefinition): readonly string[] => Object.values(choices?.parameters ?? {});

function dependsOnItself(parameter: ParameterDefinition, parameters: readonly ParameterDefinition[]): boolean {
  const reached = new Set<string>();
  const pending = [...dependenciesOf(parameter)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === parameter.name) return true;
    if (reached.has(name)) continue;
    reached.add(name);
    pending.push(...parameters.filter((each) => each.name === name).flatMap(dependenciesOf));
  }
  return false;
}

/** Whether the choices of a query depend on the target, directly or through other queries. */
async function leadsTo(store: Parameters<typeof checkChoices>[0], from: Query, target: Pick<Query, 'id' | 'queryName'>) {
  const reached = new Set<string>();
  const pending = [from];
  for (let query = pending.pop(); query !== undefined; query = pending.pop()) {
    if (query.id === target.id) return true;
    if (reached.has(query.id)) continue;
    reached.add(query.id);
    for (const { choices } of query.current.definition.parameters) {
      if (choices === undefined) continue;
      if (choices.query === target.queryName) return true;
      const next = await store.queries.byQueryName(choices.query);
      if (next !== null) pending.push(next);
    }
  }
  return false;
}

function checkChoiceSource(
  field: string,
  parameter: ParameterDefinition,
  { query, value, label, parameters: mapping = {} }: ParameterChoices,
  own: readonly ParameterDefinition[],
  { current: { definition, resultColumns } }: Query,
): FieldProblem[] {
  if (definition.epilogue !== undefined)
    return [{ field: `${field}.query`, message: `${query} writes data. Choose a query that only reads.` }];
  const problems: FieldProblem[] = [];
  const columns = labelColumns(resultColumns ?? [], definition.columns);
  const names = columns.map((each) => each.label).join(', ');
  for (const [name, column] of Object.entries({ value, label })) {
    if (column !== undefined && !columns.some((each) => each.label === column))
      problems.push({ field: `${field}.${name}`, message: `${query} has no column ${column}. It has ${names}.` });
  }
  const kind = columns.find((each) => each.label === value)?.kind;
  const family = familyIn(parameter);
  if (kind !== undefined && family !== null && !fits(kind, family))
    problems.push({
      field: `${field}.value`,
      message: `The column ${value} does not fit the type ${parameter.dataType} of ${parameter.name}.`,
    });

  const accepted = sendableParameters(definition.parameters);
  for (const [name, from] of Object.entries(mapping)) {
    const path = `${field}.parameters.${name}`;
    const target = accepted.find((each) => each.name === name);
    const source = own.find((each) => each.name === from);
    if (target === undefined) problems.push({ field: path, message: `${query} has no parameter ${name}.` });
    else if (source === undefined) problems.push({ field: path, message: `This query has no parameter ${from}.` });
    else if (familyIn(target) !== 'text' && familyIn(target) !== familyIn(source))
      problems.push({
        field: path,
        message: `${from} is of the type ${source.dataType}, ${name} of ${query} of ${target.dataType}.`,
      });
    else if (source.multiple === true && target.multiple !== true)
      problems.push({ field: path, message: `${from} is a list, ${name} of ${query} takes a single value.` });
  }
  const missing = accepted.filter((each) => each.required && each.default === undefined && !Object.hasOwn(mapping, each.name));
  for (const { name } of missing) problems.push({ field: `${field}.parameters`, message: `${query} needs a value for ${name}.` });
  return problems;
}

const familyIn = ({ dataType }: ParameterDefinition): TypeFamily | null => {
  const type = parseSqlType(dataType);
  return type === null ? null : familyOf(type);
};

const kindsOf: Readonly<Record<Exclude<TypeFamily, 'text'>, readonly ColumnKind[]>> = {
  number: ['integer', 'decimal', 'float'],
  bit: ['boolean', 'integer'],
  date: ['date', 'timestamp', 'timestamptz'],
  time: ['time'],
  uuid: ['uuid'],
  json: ['json'],
  binary: ['binary'],
};

/** A text parameter fits every column; a column without a declared type may contain any value, a text column any but numbers. */
const fits = (kind: ColumnKind, family: TypeFamily): boolean =>
  family === 'text' || kind === 'undeclared' || (kind === 'text' && family !== 'number') || kindsOf[family].includes(kind);

/** Checks that declarations are valid, that placeholders match them, and that list parameters are in parentheses. */
export function checkParameterUse(
  definition: Pick<QueryDefinition, 'sql' | 'epilogue' | 'parameters'>,
  dialect: SqlDialect,
): Result<null> {
  const { sql, epilogue, parameters } = definition;
  const declared = checkParameterDefinitions(parameters);
  const checked = failOnAny([...declared, ...checkPlaceholders(sql, epilogue, dialect, parameters)]);
  return checked.ok ? checkListUse(definition, dialect) : checked;
}

export function checkListUse(
  { sql, epilogue, parameters }: Pick<QueryDefinition, 'sql' | 'epilogue' | 'parameters'>,
  dialect: SqlDialect,
): Result<null> {
  const lists = new Set(parameters.filter(({ multiple }) => multiple === true).map(({ name }) => name));
  for (const field of ['sql', 'epilogue'] as const) {
    const text = field === 'sql' ? sql : (epilogue ?? '');
    const token = findMisplacedList(text, dialect, lists);
    if (token === undefined) continue;
    const message = `${token.text} is a list. Write it alone in parentheses, as in: region in (${token.text}).`;
    return failed({ kind: 'SqlInvalid', message, field, ...positionAt(text, token.start) });
  }
  return succeeded(null);
}

/** Prepares a query and its Epilogue on the database without running them, and returns the result columns. */
export async function describeSql(
  connector: Connector,
  definition: QueryDefinition,
  dialect: SqlDialect,
  signal: AbortSignal,
): Promise<Result<readonly Column[]>> {
  const { sql, columns, epilogue } = definition;
  const discovered = await connector.describe(sql, parameterTypes(sql, definition, dialect), signal);
  const names = new Set(discovered.map((column) => column.name));
  const misnamed = columns.flatMap(({ name }, index) => {
    const field = `columns.${index}.name`;
    if (!names.has(name)) return { field, message: `The result has no column ${name}. It has ${[...names].join(', ')}.` };
    const isRepeated = columns.findIndex((each) => each.name === name) < index;
    return isRepeated ? { field, message: `${name} is declared twice. Remove one of them.` } : [];
  });
  const checked = failOnAny(misnamed);
  if (!checked.ok) return checked;
  if (epilogue === undefined) return succeeded(discovered);
  try {
    await connector.checkEpilogue(epilogue, parameterTypes(epilogue, definition, dialect), signal);
    return succeeded(discovered);
  } catch (error) {
    if (error instanceof ConnectorError && (error.kind === 'invalid' || error.kind === 'failed')) {
      return failed(sqlInvalid(error, 'epilogue'));
    }
    throw error;
  }
}

function parameterTypes(text: string, { parameters }: QueryDefinition, dialect: SqlDialect): ParameterType[] {
  const used = findPlaceholders(text, dialect);
  return parameters.flatMap(({ name, dataType }) => {
    const type = used.includes(name) ? parseSqlType(dataType) : null;
    return type === null ? [] : { name, type };
  });
}

const failOnAny = (problems: readonly FieldProblem[]): Result<null> =>
  problems.length === 0 ? succeeded(null) : failed({ kind: 'FieldInvalid', problems });

/** Warnings about a valid query, for its author. */
export function listWarnings(
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
