import { isInScope, type Principal } from '../../access/principal.ts';
import { sendableParameters } from '../../catalog/parameter.ts';
import type { ParameterChoices, ParameterDefinition, Query, QueryDefinition } from '../../catalog/query.ts';
import { familyOf, parseSqlType } from '../../catalog/sql-type.ts';
import type { ColumnKind } from '../../core/column.ts';
import { failed, type FieldProblem, type Result, succeeded } from '../../core/errors.ts';
import type { TypeFamily } from '../../core/sql-value.ts';
import { labelColumns } from '../../results/columns.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';

/** Checks that the choices of parameters can be read: their queries, columns, types and dependencies. */
export async function choicesAgree(
  store: Pick<MetadataStore, 'queries'>,
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
    else problems.push(...sourceProblems(field, parameter, choices, parameters, source));
  }
  return problems.length === 0 ? succeeded(null) : failed({ kind: 'FieldInvalid', problems });
}

const dependenciesOf = ({ choices }: ParameterDefinition): readonly string[] => Object.values(choices?.parameters ?? {});

function dependsOnItself(parameter: ParameterDefinition, parameters: readonly ParameterDefinition[]): boolean {
  const reached = new Set<string>();
  const open = [...dependenciesOf(parameter)];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === parameter.name) return true;
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...parameters.filter((each) => each.name === name).flatMap(dependenciesOf));
  }
  return false;
}

/** Whether reading the choices of a query may need those of the other one. */
async function leadsTo(
  store: Pick<MetadataStore, 'queries'>,
  from: Query,
  target: Pick<Query, 'id' | 'queryName'>,
): Promise<boolean> {
  const reached = new Set<string>();
  const open = [from];
  for (let query = open.pop(); query !== undefined; query = open.pop()) {
    if (query.id === target.id) return true;
    if (reached.has(query.id)) continue;
    reached.add(query.id);
    for (const { choices } of query.current.definition.parameters) {
      if (choices === undefined) continue;
      if (choices.query === target.queryName) return true;
      const next = await store.queries.byQueryName(choices.query);
      if (next !== null) open.push(next);
    }
  }
  return false;
}

function sourceProblems(
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

/** Texts and columns without a declared type may contain any value. */
const fits = (kind: ColumnKind, family: TypeFamily): boolean =>
  family === 'text' || kind === 'undeclared' || (kind === 'text' && family !== 'number') || kindsOf[family].includes(kind);
