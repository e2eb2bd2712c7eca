import { isDeepStrictEqual } from 'node:util';
import type { Column } from '../core/column.ts';
import { fitsInto } from './cast/fits-into.ts';
import { canonicalize, closedValues } from './closed-values.ts';
import type { ParameterDefinition, QueryDefinition } from './query.ts';
import { parseSqlType } from './sql-type.ts';

/** The parts of a version that callers depend on. */
export const changeKinds = [
  'parameterRemoved',
  'parameterAdded',
  'parameterRequired',
  'parameterOptional',
  'parameterDefault',
  'parameterNarrowed',
  'parameterWidened',
  'parameterSingle',
  'parameterList',
  'parameterBound',
  'parameterUnbound',
  'valuesRemoved',
  'valuesAdded',
  'valuesClosed',
  'valuesOpened',
  'choicesRemoved',
  'choicesAdded',
  'choicesChanged',
  'choicesClosed',
  'choicesOpened',
  'columnRemoved',
  'columnRenamed',
  'columnType',
  'columnNullable',
  'columnAdded',
  'columnsReordered',
  'maxRowsLowered',
  'maxRowsRaised',
  'epilogueAdded',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** A difference between two versions that affects callers. */
export interface QueryChange {
  readonly kind: ChangeKind;
  readonly path: string; // `parameters.@Region`, `columns.Margin`, `maxRows`
  readonly from: ChangeSide;
  readonly to: ChangeSide;
  readonly breaking: boolean;
}
export type ChangeSide = string | number | boolean | readonly string[] | null;

/** What callers know of a version. Its columns are compared only if both versions were validated. */
export interface ComparedVersion {
  readonly definition: Pick<QueryDefinition, 'parameters' | 'maxRows' | 'epilogue'>;
  readonly columns: readonly ComparedColumn[] | null; // under their display names, in the order of the result
}
export type ComparedColumn = Pick<Column, 'name' | 'type' | 'kind'> & { readonly label: string };

/** The changes for callers if `after` takes the place of `before`. The order of rows is not compared, nor is the SQL. */
export function compareVersions(before: ComparedVersion, after: ComparedVersion): readonly QueryChange[] {
  return [
    ...compareParameters(before.definition.parameters, after.definition.parameters),
    ...(before.columns === null || after.columns === null ? [] : compareColumns(before.columns, after.columns)),
    ...compareLimits(before.definition, after.definition),
  ];
}

export const isBreaking = (changes: readonly QueryChange[]): boolean => changes.some(({ breaking }) => breaking);

type Parameters = readonly ParameterDefinition[];

function compareParameters(before: Parameters, after: Parameters): QueryChange[] {
  const pairs = before.map((one) => [one, findParameter(one.name, before, after)] as const);
  const matched = new Set(pairs.map(([, other]) => other));
  return [
    ...pairs.flatMap(([one, other]) =>
      other === undefined
        ? [change('parameterRemoved', pathOf(one), one.dataType, null, true)]
        : compareParameter(one, other).map((each) => each(pathOf(one))),
    ),
    // without a value of the caller's account, a bound parameter refuses the call
    ...after
      .filter((each) => !matched.has(each))
      .map((each) => {
        const { boundTo, required, default: fallback } = each;
        const isNeeded = boundTo !== undefined || (required && fallback === undefined);
        return change('parameterAdded', pathOf(each), null, boundTo ?? each.dataType, isNeeded);
      }),
  ];
}

const pathOf = ({ name }: ParameterDefinition): string => `parameters.${name}`;

/** Callers may spell names in any case. */
function findParameter(name: string, before: Parameters, after: Parameters): ParameterDefinition | undefined {
  const exact = after.find((each) => each.name === name);
  if (exact !== undefined) return exact;
  const folded = name.toLowerCase();
  const isAlike = (each: ParameterDefinition): boolean => each.name.toLowerCase() === folded;
  const [only, another] = after.filter(isAlike);
  return another === undefined && before.filter(isAlike).length === 1 ? only : undefined;
}

type PathlessChange = (path: string) => QueryChange;

function compareParameter(before: ParameterDefinition, after: ParameterDefinition): PathlessChange[] {
  const [from, to] = [before.boundTo ?? null, after.boundTo ?? null];
  // callers send no values of a bound parameter: nothing else about it concerns them
  if (to !== null) return from === to ? [] : [at('parameterBound', from, to, true)];
  if (from !== null) return [at('parameterUnbound', from, null, true)];
  return [
    ...compareNeed(before, after),
    ...compareTypes(before, after),
    ...compareValues(before, after),
    ...compareChoices(before, after),
  ];
}

function compareNeed(before: ParameterDefinition, after: ParameterDefinition): PathlessChange[] {
  const [from, to] = [before.default ?? null, after.default ?? null];
  const mayOmit = ({ required, default: fallback }: ParameterDefinition): boolean => !required || fallback !== undefined;
  if (!before.required && after.required) return [at('parameterRequired', false, true, true)];
  if (mayOmit(before) && !mayOmit(after)) return [at('parameterRequired', from, null, true)];
  return [
    ...(before.required && !after.required ? [at('parameterOptional', true, false, false)] : []),
    ...(from === to ? [] : [at('parameterDefault', from, to, false)]),
  ];
}

function compareTypes(before: ParameterDefinition, after: ParameterDefinition): PathlessChange[] {
  const [one, other] = [parseSqlType(before.dataType), parseSqlType(after.dataType)];
  const isSame = one === null || other === null ? before.dataType === after.dataType : isDeepStrictEqual(one, other);
  const fits = one !== null && other !== null && fitsInto(one, other);
  const [isList, isListNow] = [before.multiple === true, after.multiple === true];
  return [
    ...(isSame ? [] : [at(fits ? 'parameterWidened' : 'parameterNarrowed', before.dataType, after.dataType, !fits)]),
    ...(isList && !isListNow ? [at('parameterSingle', true, false, true)] : []),
    ...(!isList && isListNow ? [at('parameterList', false, true, false)] : []),
  ];
}

function compareValues(before: ParameterDefinition, after: ParameterDefinition): PathlessChange[] {
  const [one, other] = [closedValues(before), closedValues(after)];
  if (one === undefined) return other === undefined ? [] : [at('valuesClosed', null, other, true)];
  if (other === undefined) return [at('valuesOpened', one, null, false)];
  const type = parseSqlType(after.dataType);
  const toKey = (value: string): string =>
    type === null || type.name === 'text' ? value.toLowerCase() : (canonicalize(value, type) ?? value);
  const without = (values: readonly string[], others: readonly string[]): readonly string[] => {
    const keys = new Set(others.map(toKey));
    return values.filter((value) => !keys.has(toKey(value)));
  };
  const [removed, added] = [without(one, other), without(other, one)];
  return [
    ...(removed.length > 0 ? [at('valuesRemoved', removed, null, true)] : []),
    ...(added.length > 0 ? [at('valuesAdded', null, added, false)] : []),
  ];
}

/** What another query returns is not known: other choices may lack some of those before. */
function compareChoices(before: ParameterDefinition, after: ParameterDefinition): PathlessChange[] {
  const [from, to] = [before.choices?.query ?? null, after.choices?.query ?? null];
  const [isOnly, isOnlyNow] = [before.choicesOnly === true, after.choicesOnly === true];
  if (from === null) return to === null ? [] : [at(isOnlyNow ? 'choicesClosed' : 'choicesAdded', null, to, isOnlyNow)];
  if (to === null) return [at('choicesRemoved', from, null, true)];
  return [
    ...(isDeepStrictEqual(before.choices, after.choices) ? [] : [at('choicesChanged', from, to, isOnlyNow)]),
    ...(!isOnly && isOnlyNow ? [at('choicesClosed', false, true, true)] : []),
    ...(isOnly && !isOnlyNow ? [at('choicesOpened', true, false, false)] : []),
  ];
}

type Columns = readonly ComparedColumn[];

function compareColumns(before: Columns, after: Columns): QueryChange[] {
  const labels = new Set(before.map(({ label }) => label));
  const places = new Map(after.map(({ label }, place) => [label, place])); // a result may have thousands of columns
  const byName = Map.groupBy(after, ({ name }) => name);
  const added = new Set(after.filter(({ label }) => !labels.has(label)));
  const changes: QueryChange[] = [];
  const kept: ComparedColumn[] = [];
  for (const [index, from] of before.entries()) {
    const to = after[places.get(from.label) ?? -1] ?? findRenamed(from, byName.get(from.name), after[index], added);
    if (to === undefined) {
      changes.push(change('columnRemoved', columnPath(from), from.type, null, true));
      continue;
    }
    added.delete(to);
    kept.push(to);
    if (to.label !== from.label) changes.push(change('columnRenamed', columnPath(from), from.label, to.label, true));
    changes.push(...compareColumn(from, to));
  }
  changes.push(...[...added].map((column) => change('columnAdded', columnPath(column), null, column.type, false)));
  // readers of CSV and xlsx go by position
  const keptPlaces = kept.map(({ label }) => places.get(label) ?? 0);
  if (keptPlaces.some((place, index) => place < (keptPlaces[index - 1] ?? 0)))
    changes.push(change('columnsReordered', 'columns', [...labels], [...places.keys()], false));
  return changes;
}

const columnPath = ({ label }: ComparedColumn): string => `columns.${label}`;

/** A column with another display name, or a new one of the same kind in the same place. */
const findRenamed = (
  { kind }: ComparedColumn,
  ofName: Columns | undefined,
  inPlace: ComparedColumn | undefined,
  added: ReadonlySet<ComparedColumn>,
): ComparedColumn | undefined =>
  ofName?.find((column) => added.has(column)) ??
  (inPlace !== undefined && added.has(inPlace) && inPlace.kind === kind ? inPlace : undefined);

/** Lengths and precisions do not change what callers receive. ClickHouse says in the type whether there can be NULL. */
function compareColumn(from: ComparedColumn, to: ComparedColumn): QueryChange[] {
  const [one, other] = [plainType(from.type), plainType(to.type)];
  if (from.kind !== to.kind || one.name !== other.name) return [change('columnType', columnPath(from), from.type, to.type, true)];
  return !one.isNullable && other.isNullable ? [change('columnNullable', columnPath(from), from.type, to.type, true)] : [];
}

function plainType(type: string): { readonly name: string; readonly isNullable: boolean } {
  const bare = type.replace(/^LowCardinality\(/, '');
  const name = bare.replace(/^Nullable\(/, '').replaceAll(/ ?\([\d ,]*\)|[()]/g, '');
  return { name: name.toLowerCase(), isNullable: bare.startsWith('Nullable(') };
}

type Limited = Pick<QueryDefinition, 'maxRows' | 'epilogue'>;

function compareLimits(before: Limited, after: Limited): QueryChange[] {
  const [from, to] = [before.maxRows ?? null, after.maxRows ?? null];
  const isLowered = to !== null && (from === null || to < from);
  return [
    ...(from === to ? [] : [change(isLowered ? 'maxRowsLowered' : 'maxRowsRaised', 'maxRows', from, to, isLowered)]),
    // a query that writes cannot be read by GET, embedded or linked to
    ...(before.epilogue === undefined && after.epilogue !== undefined
      ? [change('epilogueAdded', 'epilogue', false, true, true)]
      : []),
  ];
}

const change = (kind: ChangeKind, path: string, from: ChangeSide, to: ChangeSide, breaking: boolean): QueryChange => ({
  kind,
  path,
  from,
  to,
  breaking,
});

const at =
  (kind: ChangeKind, from: ChangeSide, to: ChangeSide, breaking: boolean): PathlessChange =>
  (path) =>
    change(kind, path, from, to, breaking);
