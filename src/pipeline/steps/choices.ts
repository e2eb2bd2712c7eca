import { fixedValuesOf, identityOf, type Principal, viewerBehind } from '../../access/principal.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import { castValue } from '../../catalog/cast/cast.ts';
import { type BindContext, bindParameters, fixedNames, type SentParameter } from '../../catalog/parameter.ts';
import type { ParameterDefinition, Query } from '../../catalog/query.ts';
import { trimSemicolon } from '../../catalog/sql-tokens.ts';
import type { Connections, Engine } from '../../connectors/connector.ts';
import { type Failure, failed, type FieldProblem, inputRefused, type Result, succeeded } from '../../core/errors.ts';
import { type BoundParameter, type BoundValue, type SqlType, textsOf } from '../../core/sql-value.ts';
import { ByteWriter } from '../../results/byte-writer.ts';
import { labelColumns } from '../../results/columns.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import type { CheckChoices, ChoiceRequest } from '../bind.ts';
import { findByName, type QueryStore, type RunnableQuery } from '../find-query.ts';
import { type Execute, executionFailure } from './execute.ts';

export interface ChoiceParts {
  readonly store: QueryStore;
  readonly connections: Pick<Connections, 'engineOf'>;
  readonly execute: Execute;
  readonly now: () => number;
  readonly zone: BindContext['clock']['zone'];
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/**
 * Reads the choices of a parameter until `visit` returns false. A value may be visited several times, and with a filter also
 * choices that do not pass it. The result says whether the choices were read to the end, or to where `visit` stopped; they are
 * not if the limits of one call were reached.
 */
export type ReadChoices = (
  request: ChoiceRequest,
  parameter: ParameterDefinition,
  wanted: { readonly filter: ChoiceFilter | null; readonly isShown: boolean },
  visit: (choice: Choice) => boolean,
) => Promise<Result<{ readonly isWhole: boolean }>>;

/** The query of the choices runs with the rights and the identity of the caller. Values of a query that is closed to AI are not shown over MCP. */
export function createReadChoices({ store, connections, execute, now, zone }: ChoiceParts): ReadChoices {
  return async ({ call, principal, values }, parameter, { filter, isShown }, visit) => {
    const { choices } = parameter;
    if (choices === undefined) return succeeded({ isWhole: true });
    // values that are only compared are not shown to the caller
    const found = await findChoiceQuery(store, principal, parameter, isShown ? call.channel : 'rest');
    if (found === null) return failed({ kind: 'QueryNotAccessible' });
    const { query, database } = found;
    const { definition } = query.current;
    const sent = mapValues(choices.parameters ?? {}, values);
    if (!sent.ok) return sent;
    const fixed = fixedValuesOf(principal);
    const isFixed = fixedNames(definition.parameters, fixed);
    const bound = bindParameters(
      definition.parameters,
      sent.value.filter(({ ParameterName }) => !isFixed.has(ParameterName)),
      { caller: identityOf(principal), clock: { now: now(), zone }, fixed },
    );
    if (!bound.ok) return failed(toCallersFailure(bound.failure, choices.parameters ?? {}));

    const run = { call, principal, query, database, values: bound.value };
    const filtered = filter === null ? null : filterQuery(query, connections.engineOf(database), filter);
    const narrowed = filtered && (await execute({ ...run, query: filtered.query, values: [...bound.value, ...filtered.values] }));
    // a statement that is not a plain query cannot be a subquery: it is read through
    const isRefused = narrowed?.ok === false && narrowed.failure.kind === 'QueryFailed';
    const execution = narrowed === null || isRefused ? await execute(run) : narrowed;
    if (!execution.ok) return execution;
    const { rows } = execution.value;
    try {
      const labels = labelColumns(rows.columns, definition.columns).map(({ label }) => label);
      const [value, label] = [labels.indexOf(choices.value), labels.indexOf(choices.label ?? choices.value)];
      if (value < 0 || label < 0) return failed({ kind: 'StateConflict', reason: COLUMN_GONE });
      return succeeded(
        await visitRows(rows.batches(), { value, label, most: definition.maxRows ?? Number.POSITIVE_INFINITY }, visit),
      );
    } catch (error) {
      return failed(executionFailure(error));
    } finally {
      await rows.close().catch(() => undefined); // the rows that were read stay valid
    }
  };
}

/** Values that the query of the choices refuses, under the names that the caller knows. Other problems are for the author. */
function toCallersFailure(failure: Failure, mapping: Readonly<Record<string, string>>): Failure {
  if (!('problems' in failure)) return failure;
  const names = new Map(Object.entries(mapping).map(([name, from]) => [name.toLowerCase(), from]));
  const problems = failure.problems.flatMap((problem) => {
    const from = problem.kind === 'ParameterInvalid' ? names.get(problem.field.toLowerCase()) : undefined;
    return from === undefined ? [] : [{ ...problem, field: from }];
  });
  return problems.length === failure.problems.length
    ? inputRefused(problems)
    : { kind: 'StateConflict', reason: PARAMETERS_CHANGED };
}

const PARAMETERS_CHANGED = 'The query of the choices takes other parameters than it did. Its author can correct this.';
const COLUMN_GONE = 'The query of the choices no longer has the columns that they are read from. Its author can correct this.';

/** The query of the choices, if the caller may run it now. */
export async function findChoiceQuery(
  store: QueryStore,
  principal: Principal,
  { choices }: ParameterDefinition,
  channel: Channel,
): Promise<RunnableQuery | null> {
  const found = choices === undefined ? null : await findByName(store, removeRestrictions(principal), choices.query, channel);
  return found?.query.current.definition.epilogue === undefined ? found : null;
}

/** A restricted key, a viewer and an embed reach the choices of their query, within the rights of their user. */
function removeRestrictions(principal: Principal): Principal {
  const viewer = viewerBehind(principal);
  return {
    ...principal,
    authentication: viewer === null ? { kind: 'basic' } : { kind: 'viewer', viewer: { ...viewer, queries: null } },
  };
}

function mapValues(
  mapping: Readonly<Record<string, string>>,
  values: readonly BoundParameter[],
): Result<readonly SentParameter[]> {
  const problems: FieldProblem[] = [];
  const sent = Object.entries(mapping).map(([ParameterName, from]): SentParameter => {
    const bound = values.find(({ name }) => name === from);
    const texts = textsOf(bound);
    if (texts.length === 0)
      problems.push({ kind: 'ParameterInvalid', field: from, message: 'The choices depend on it. Send a value.' });
    return { ParameterName, Value: bound !== undefined && 'items' in bound ? texts : (texts[0] ?? null) };
  });
  return problems.length > 0 ? failed(inputRefused(problems)) : succeeded(sent);
}

const MOST_ROWS = 250_000; // that one call reads through
const MOST_BYTES = 64 * 1024 * 1024;

async function visitRows(
  batches: AsyncIterable<RowBatch>,
  { value, label, most }: { readonly value: number; readonly label: number; readonly most: number },
  visit: (choice: Choice) => boolean,
): Promise<{ readonly isWhole: boolean }> {
  let count = 0;
  let bytes = 0;
  const out = new ByteWriter();
  const textOf = (batch: RowBatch, row: number, column: number): string => {
    batch.writeText(row, column, out);
    const text = out.take();
    bytes += text.length;
    return text.toString('utf8');
  };
  for await (const batch of batches) {
    for (let row = 0; row < batch.length; row++) {
      if (count++ >= most) return { isWhole: true };
      if (count > MOST_ROWS || bytes > MOST_BYTES) return { isWhole: false };
      if (batch.value(row, value) === null) continue;
      const choice = textOf(batch, row, value);
      const shown = label === value || batch.value(row, label) === null ? choice : textOf(batch, row, label);
      if (!visit({ value: choice, label: shown })) return { isWhole: true };
    }
  }
  return { isWhole: true };
}

export function createCheckChoices(readChoices: ReadChoices): CheckChoices {
  return async (request, sent) => {
    const problems: FieldProblem[] = [];
    for (const parameter of request.query.current.definition.parameters) {
      if (parameter.choicesOnly !== true || !sent.has(parameter.name)) continue;
      const bound = request.values.find(({ name }) => name === parameter.name);
      if (bound === undefined) continue;
      const missing = new Set(textsOf(bound));
      if (missing.size === 0) continue;
      const read = await readChoices(
        request,
        parameter,
        { filter: filterOf(parameter, bound.type, missing), isShown: false },
        ({ value }) => {
          const cast = castValue(value, bound.type);
          if (cast.ok) missing.delete(cast.value);
          return missing.size > 0;
        },
      );
      if (!read.ok) return read;
      const [first] = missing;
      if (first !== undefined)
        problems.push({
          kind: 'ParameterInvalid',
          field: parameter.name,
          message: read.value.isWhole ? `${JSON.stringify(first.slice(0, 50))} is not one of its choices.` : UNDECIDED,
        });
    }
    return problems.length > 0 ? failed(inputRefused(problems)) : succeeded(null);
  };
}

const UNDECIDED =
  'It has more choices than a call reads, and none of those that were read is this value. Its author can let the choices depend on another parameter.';

/** The database looks for values whose text is the same there and here. */
const filterOf = ({ choices }: ParameterDefinition, { name }: SqlType, values: ReadonlySet<string>): ChoiceFilter | null =>
  choices !== undefined && (name === 'text' || name === 'integer') ? { column: choices.value, isOneOf: [...values] } : null;

/** The choices that a caller looks for: the text of a display column contains the search, ignoring case, or is one of the values. */
type ChoiceFilter =
  | { readonly column: string; readonly contains: string }
  | { readonly column: string; readonly isOneOf: readonly string[] };

interface FilteredQuery {
  readonly query: Query;
  readonly values: readonly BoundValue[]; // in addition to those of the query
}

/**
 * The query with a condition around its SQL, so that the database reads through the rows. The condition holds for every row that
 * passes the filter, and perhaps for others: engines differ in what is upper and lower case, so the caller filters again. Null if
 * the SQL cannot be wrapped: then all rows are read.
 */
function filterQuery(query: Query, { choices: syntax, dialect }: Engine, filter: ChoiceFilter): FilteredQuery | null {
  const { definition, resultColumns } = query.current;
  const columns = labelColumns(resultColumns ?? [], definition.columns);
  const column = columns.find(({ label }) => label === filter.column);
  // maxRows counts the rows of the query, not those that pass
  if (syntax === null || column === undefined || !isPlain.has(column.kind) || definition.maxRows !== undefined) return null;
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  if (names.size < columns.length || names.has('')) return null; // a subquery needs different names
  const texts = 'contains' in filter ? partsOf(filter.contains) : exactValues(filter.isOneOf);
  if (texts === null) return null;

  const values = texts.map((value, index): BoundValue => ({ name: `@sluice_choice_${index}`, type: { name: 'text' }, value }));
  if (values.some(({ name }) => definition.sql.includes(name))) return null;
  const quoted = syntax.quote + column.name.replaceAll(syntax.quote, syntax.quote.repeat(2)) + syntax.quote;
  const text = syntax.toText(quoted);
  const placeholders = values.map(({ name }) => name);
  const passes =
    'contains' in filter
      ? placeholders.map((each, index) => syntax.contains(index === 0 ? `lower(${text})` : text, each)).join(' or ')
      : `${text} in (${placeholders.join(', ')})`;
  const order = syntax.keepsOrder ? '' : ` order by ${quoted}`;
  const inner = trimSemicolon(definition.sql, dialect);
  // a choice without a label is shown by its value
  const sql = `select * from (\n${inner}\n) sluice_choices where ${quoted} is null or ${passes}${order}`;
  return { query: { ...query, current: { ...query.current, definition: { ...definition, sql } } }, values };
}

/** Kinds whose text is the same in the database and here. */
const isPlain: ReadonlySet<string> = new Set(['text', 'integer']);

/**
 * The first text is a part of the search that every engine has in the same lower case: the longest run of ASCII and of letters
 * without case. The letters \u0130 and \u212a become i and k in lower case, but not on every engine: labels with one of them pass, too.
 */
function partsOf(search: string): readonly string[] | null {
  let run = '';
  let longest = '';
  for (const char of search.toLowerCase()) {
    run = isSameEverywhere(char) ? run + char : '';
    if (run.trim().length > longest.length) longest = run.trim(); // spaces at the end may be cut off
  }
  if (longest === '') return null;
  return [longest, ...(longest.includes('i') ? ['\u0130'] : []), ...(longest.includes('k') ? ['\u212a'] : [])];
}

const isSameEverywhere = (char: string): boolean => /[ -~]/.test(char) || (char.toUpperCase() === char && char !== '\u0307'); // a part of the lower case of \u0130

const MOST_VALUES = 100;

/** Engines may cut off spaces at the end. */
const exactValues = (values: readonly string[]): readonly string[] | null =>
  values.length > MOST_VALUES || values.some((each) => each.endsWith(' ')) ? null : values;
