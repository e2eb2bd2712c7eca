import { definedFields } from '../core/defined-fields.ts';
import { type Failure, type FieldProblem, failed, inputRefused, type Result, succeeded } from '../core/errors.ts';
import type { BoundParameter, BoundList, BoundValue } from '../core/sql-value.ts';
import type { CallerIdentity } from './caller-identity.ts';
import { findClosestName, quoteName, suggestName } from './closest-name.ts';
import { bindOne, bindToCaller, maxParameters, type SentParameter } from './parameter-value.ts';
import { placeholderTokens } from './placeholders.ts';
import type { ParameterDefinition } from './query.ts';
import type { Clock } from './relative-moment.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlToken } from './sql-tokens.ts';

export type { SentParameter, SentValue } from './parameter-value.ts';

export interface BindContext {
  /** Null leaves out the parameters that are bound to the caller: they were bound when the query ran. */
  readonly caller: CallerIdentity | null;
  readonly clock: Clock;
  readonly fixed?: readonly SentParameter[]; // values that the caller cannot send
}

/** The values to bind, in declared order; or all problems of the call at once. */
export function bindParameters(
  declared: readonly ParameterDefinition[],
  sent: readonly SentParameter[],
  { caller, clock, fixed = [] }: BindContext,
): Result<readonly BoundParameter[]> {
  if (sent.length > maxParameters) {
    return failWith([invalidProblem('Parameters', `At most ${maxParameters} parameters may be sent, not ${sent.length}.`)]);
  }
  const fixedByName = matchFixed(declared, fixed);
  const { byName, misspelled, problems } = matchNames(declared, sent, fixedByName);
  const values: BoundParameter[] = [];
  let refusal: Failure | null = null;
  for (const definition of declared) {
    const { name } = definition;
    if (isBound(definition)) {
      if (caller === null) continue;
      const bound = bindToCaller(definition, caller, clock);
      if (!('problem' in bound)) values.push({ name, ...bound });
      else {
        const { problem: kind, message: reason } = bound;
        refusal ??= { kind, source: definition.boundTo, ...definedFields({ reason, of: caller.of }) };
      }
      continue;
    }
    const value = fixedByName.get(name) ?? byName.get(name);
    const bound = bindOne(definition, value, clock);
    if (!('message' in bound)) values.push({ name, ...bound });
    else if (value !== undefined || !misspelled.includes(name)) problems.push(invalidProblem(name, bound.message));
  }
  if (problems.length > 0) return failWith(problems);
  return refusal === null ? succeeded(values) : failed(refusal);
}

export const isBound = (definition: ParameterDefinition): definition is ParameterDefinition & { readonly boundTo: string } =>
  definition.boundTo !== undefined;

/** The parameters that callers may send. Others are never shown to them. */
export const sendableParameters = (declared: readonly ParameterDefinition[]): readonly ParameterDefinition[] =>
  declared.some(isBound) ? declared.filter((each) => !isBound(each)) : declared;

/** The name without `@`, as callers may send it. */
export const plainName = (name: string): string => name.replace(/^@/, '');

/** The declared parameter that a sent name means; undefined if there is none, or if several match. */
export function findDeclared(declared: readonly ParameterDefinition[], sent: string): ParameterDefinition | undefined {
  const [name, another] = findDeclaredNames(declared, sent);
  return another === undefined ? declared.find((each) => each.name === name) : undefined;
}

/** The parameters under their declared names. Those of other names are left as they are. */
export const withDeclaredNames = (
  declared: readonly ParameterDefinition[],
  sent: readonly SentParameter[],
): readonly SentParameter[] =>
  sent.map((each) => {
    const definition = findDeclared(declared, each.ParameterName);
    return definition === undefined ? each : { ...each, ParameterName: definition.name };
  });

/**
 * By declared name. A token may fix parameters of several queries; those bound to the caller are never fixed. A name that differs from
 * several only in case fixes all of them: callers must not choose a value that was meant to be fixed.
 */
function matchFixed(
  declared: readonly ParameterDefinition[],
  fixed: readonly SentParameter[],
): ReadonlyMap<string, SentParameter> {
  const sendable = sendableParameters(declared);
  return new Map(
    fixed.flatMap((each) => findDeclaredNames(sendable, each.ParameterName).map((name): [string, SentParameter] => [name, each])),
  );
}

/** The declared names of the parameters whose values are fixed. */
export const fixedNames = (declared: readonly ParameterDefinition[], fixed: readonly SentParameter[]): ReadonlySet<string> =>
  new Set(matchFixed(declared, fixed).keys());

function matchNames(
  declared: readonly ParameterDefinition[],
  sent: readonly SentParameter[],
  fixed: ReadonlyMap<string, SentParameter>,
) {
  const byName = new Map<string, SentParameter>(); // by declared name
  const misspelled: string[] = []; // declared names that unknown ones resemble
  const problems: FieldProblem[] = [];
  const bound = new Set(declared.filter(isBound).map(({ name }) => name));
  for (const parameter of sent) {
    const { ParameterName: sentName } = parameter;
    const [name, ...others] = findDeclaredNames(declared, sentName);
    if (name === undefined) {
      const known = sendableParameters(declared).flatMap(({ name }) => (fixed.has(name) ? [] : name));
      const closest = findClosestName(sentName, known);
      if (closest !== undefined) misspelled.push(closest);
      problems.push(unknownProblem(sentName, known.length === 0 ? 'It takes none.' : suggestName(closest, known)));
    } else if (others.length > 0) {
      problems.push(unknownProblem(sentName, `Write ${[name, ...others].join(' or ')} exactly.`));
    } else if (bound.has(name)) {
      problems.push({ kind: 'ParameterBound', field: sentName.slice(0, 128), message: BOUND });
    } else if (fixed.has(name)) {
      problems.push({ kind: 'ParameterBound', field: sentName.slice(0, 128), message: FIXED });
    } else if (byName.has(name)) {
      problems.push(invalidProblem(name, 'It is sent twice. Send it once.'));
    } else {
      byName.set(name, parameter);
    }
  }
  return { byName, misspelled, problems };
}

/** The declared names that a sent one may mean: case and the `@` may differ. */
function findDeclaredNames(declared: readonly ParameterDefinition[], sent: string): readonly string[] {
  if (declared.some(({ name }) => name === sent)) return [sent];
  const named = sent.startsWith('@') ? sent : `@${sent}`;
  if (declared.some(({ name }) => name === named)) return [named];
  const folded = named.toLowerCase();
  return declared.flatMap(({ name }) => (name.toLowerCase() === folded ? [name] : []));
}

const FIXED = 'Its value is fixed by the application that you use, and cannot be sent. Leave it out.';
export const BOUND = 'Its value comes from the identity of the caller and cannot be sent. Leave it out.';

const unknownProblem = (sent: string, advice: string): FieldProblem => ({
  kind: 'ParameterUnknown',
  field: sent.slice(0, 128),
  message: `The query has no parameter ${quoteName(sent)}. ${advice}`,
});

const invalidProblem = (field: string, message: string): FieldProblem => ({ kind: 'ParameterInvalid', field, message });

const failWith = (problems: readonly FieldProblem[]) => failed(inputRefused(problems));

/** A statement whose lists are placeholders of single values. */
interface ExpandedStatement {
  readonly sql: string;
  readonly epilogue?: string;
  readonly parameters: readonly BoundValue[];
}

export interface PlaceholderLimits {
  /** Values that are bound. */
  readonly bound: number;
  /** Placeholders in the text; a list that is used twice has two for each value. A long text keeps the engine from other calls. */
  readonly written: number;
}

interface Texts {
  readonly sql: string;
  readonly epilogue?: string | undefined;
}

/**
 * Replaces `(@Regions)` by `(@Regions, @Regions_2, @Regions_3)`, with one value for each name. Lists are filled up to a few
 * lengths by repeating their last value, so that prepared statements are reused.
 */
export function expandLists(
  { sql, epilogue }: Texts,
  dialect: SqlDialect,
  limits: PlaceholderLimits,
  parameters: readonly BoundParameter[],
): Result<ExpandedStatement> {
  const lists = parameters.filter(isList);
  const single = parameters.filter(isSingle);
  const both = { sql, ...definedFields({ epilogue }) };
  if (lists.length === 0) return succeeded({ ...both, parameters: single });
  const exact = lists.map(({ items }) => Math.max(1, items.length));
  const count = placeholderCounter(both, dialect, parameters, lists);
  const fits = (lengths: readonly number[]): boolean => {
    const { bound, written } = count(lengths);
    return bound <= limits.bound && written <= limits.written;
  };
  const lengths = [exact.map(lengthClass), exact].find(fits);
  if (lengths === undefined) return failed(inputRefused([describeTooMany(lists, count(exact), limits)]));
  const placed: ListPlaceholders[] = [];
  lists.forEach(({ name, items }, index) => {
    const others = placed.map(({ stem }) => stem);
    placed.push({ name, length: lengths[index] ?? 1, stem: stemOf(name, both, others), isEmpty: items.length === 0 });
  });
  const expanded = lists.flatMap(({ name, type, items }, index) =>
    Array.from({ length: lengths[index] ?? 1 }, (_, position): BoundValue => {
      const item = items[Math.min(position, items.length - 1)];
      return { name: position === 0 ? name : `${placed[index]?.stem}${position + 1}`, type, value: item?.value ?? null };
    }),
  );
  return succeeded({
    sql: expandText(sql, dialect, placed),
    ...definedFields({ epilogue: epilogue === undefined ? undefined : expandText(epilogue, dialect, placed) }),
    parameters: [...single, ...expanded],
  });
}

const isList = (parameter: BoundParameter): parameter is BoundList => 'items' in parameter;
const isSingle = (parameter: BoundParameter): parameter is BoundValue => !isList(parameter);

/** The first list placeholder that does not stand alone in parentheses. */
export function findMisplacedList(sql: string, dialect: SqlDialect, lists: ReadonlySet<string>): SqlToken | undefined {
  if (lists.size === 0) return undefined;
  const { tokens, placeholders } = placeholderTokens(sql, dialect);
  return tokens.find(
    (token, index) =>
      placeholders.has(token) && lists.has(token.text) && (tokens[index - 1]?.text !== '(' || tokens[index + 1]?.text !== ')'),
  );
}

const largestClass = 1000;
const lengthClass = (length: number): number => Math.max(length, Math.min(largestClass, 2 ** Math.ceil(Math.log2(length))));

/** Returns a function that counts the placeholders for given lengths of the lists, in the longer of the two texts. */
function placeholderCounter(
  { sql, epilogue = '' }: Texts,
  dialect: SqlDialect,
  parameters: readonly BoundParameter[],
  lists: readonly BoundList[],
): (lengths: readonly number[]) => PlaceholderLimits {
  const names = new Set(parameters.map(({ name }) => name));
  const written = [sql, epilogue].map((text) =>
    [...placeholderTokens(text, dialect).placeholders].map((token) => token.text).filter((name) => names.has(name)),
  );
  return (lengths) => {
    const lengthOf = new Map(lists.map(({ name }, index) => [name, lengths[index] ?? 1]));
    const sum = (all: Iterable<string>): number => [...all].reduce((total, name) => total + (lengthOf.get(name) ?? 1), 0);
    return { bound: sum(names), written: Math.max(...written.map(sum)) };
  };
}

function describeTooMany(
  lists: readonly BoundList[],
  { bound, written }: PlaceholderLimits,
  limits: PlaceholderLimits,
): FieldProblem {
  const long = lists.filter(({ items }) => items.length > 1);
  const field = (long.length === 0 ? lists : long).map(({ name }) => name).join(', ');
  const message =
    bound > limits.bound
      ? `The statement would have ${bound} values, and this database takes at most ${limits.bound}. Send fewer.`
      : `Values would be used ${written} times in the SQL, and this database takes at most ${limits.written}. Send fewer.`;
  return { kind: 'ParameterInvalid', field, message };
}

/** The beginning of the names of a list's further values. No other name in the texts, and no value of another list, begins with it. */
function stemOf(name: string, { sql, epilogue = '' }: Texts, others: readonly string[]): string {
  const texts = [sql, epilogue, ...others].join('\n').toLowerCase();
  let stem = `${name}_`;
  while (texts.includes(stem.toLowerCase())) stem += '_';
  return stem;
}

/** A list, the number of its placeholders and how the names of all but the first begin. */
interface ListPlaceholders {
  readonly name: string;
  readonly length: number;
  readonly stem: string;
  readonly isEmpty: boolean;
}

const mostTexts = 500; // one may have thousands of placeholders
const expandedTexts = new Map<string, string>();

function expandText(text: string, dialect: SqlDialect, lists: readonly ListPlaceholders[]): string {
  const key = JSON.stringify([dialect.name, lists, text]);
  const known = expandedTexts.get(key);
  if (known !== undefined) return known;
  const expanded = expand(text, dialect, lists);
  if (expandedTexts.size >= mostTexts) expandedTexts.clear();
  expandedTexts.set(key, expanded);
  return expanded;
}

function expand(text: string, dialect: SqlDialect, lists: readonly ListPlaceholders[]): string {
  const { tokens, placeholders } = placeholderTokens(text, dialect);
  let expanded = '';
  let copied = 0;
  tokens.forEach((token, position) => {
    const list = placeholders.has(token) ? lists.find(({ name }) => name === token.text) : undefined;
    if (list === undefined) return;
    const not = list.isEmpty ? findIgnoredNot(tokens, position, dialect) : undefined;
    if (not !== undefined) {
      expanded += text.slice(copied, not.start);
      copied = not.end;
    }
    const further = Array.from({ length: list.length - 1 }, (_, each) => `, ${list.stem}${each + 2}`);
    expanded += text.slice(copied, token.end) + further.join('');
    copied = token.end;
  });
  return expanded + text.slice(copied);
}

/**
 * The `not` of `not in (@Regions)` with an empty list. An engine that skips NULL in a list would return every row; without the
 * `not` it returns none, as the others do.
 */
function findIgnoredNot(tokens: readonly SqlToken[], position: number, dialect: SqlDialect): SqlToken | undefined {
  if (!dialect.skipsNullInLists) return undefined;
  const [not, isIn] = [tokens[position - 3], tokens[position - 2]];
  return not?.text.toLowerCase() === 'not' && isIn?.text.toLowerCase() === 'in' ? not : undefined;
}
