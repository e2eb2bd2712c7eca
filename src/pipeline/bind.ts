import { fixedValuesOf, identityOf, type Principal, viewerBehind } from '../access/principal.ts';
import type { DataLink } from '../access/share.ts';
import { readOpen } from '../catalog/open-parameters.ts';
import {
  type BindContext,
  bindParameters,
  findDeclared,
  fixedNames,
  isBound,
  sendableParameters,
  type SentParameter,
  withDeclaredNames,
} from '../catalog/parameter.ts';
import type { ParameterDefinition, Query } from '../catalog/query.ts';
import type { Clock } from '../catalog/relative-moment.ts';
import { type Failure, failed, type FieldProblem, inputRefused, problemsOf, type Result, succeeded } from '../core/errors.ts';
import type { BoundParameter, BoundValue } from '../core/sql-value.ts';
import { type Continuations, digestOf } from '../results/continuation.ts';
import type { SnapshotPosition } from '../results/snapshot-position.ts';
import type { Snapshots } from '../results/snapshot/snapshots.ts';
import type { Authorized, ContinueForm, RunForm } from './authorized.ts';
import type { Call } from './call.ts';
import { findById, findQuery, type QueryStore, type RunnableQuery } from './find-query.ts';
import type { AuditDraft } from './steps/audit-call.ts';
import { chartProblems, type SentChart } from './steps/embed-chart.ts';

export interface BindParts {
  readonly store: QueryStore;
  readonly continuations: Continuations;
  readonly snapshots: Pick<Snapshots, 'manifest'>;
  readonly now: () => number;
  readonly zone: Clock['zone']; // of relative moments
  readonly checkChoices: CheckChoices;
}

/** A caller who may run a query, and the values of its parameters. */
export type ChoiceRequest = Pick<Authorized<RunForm>, 'call' | 'principal' | 'query' | 'values'>;

/** Refuses values of parameters with `choicesOnly` that are not among their choices. `sent` are the parameters that the caller sent. */
export type CheckChoices = (request: ChoiceRequest, sent: ReadonlySet<string>) => Promise<Result<null>>;

type Bound = Pick<Authorized<RunForm>, 'query' | 'database' | 'pin' | 'values' | 'position'>;

/** The query that a form names, with the values of all its parameters. */
export async function bindRun(
  { store, now, zone, checkChoices }: BindParts,
  call: Call,
  principal: Principal,
  form: RunForm,
  draft: AuditDraft,
): Promise<Result<Bound>> {
  draft.query = (form.run.queryName ?? form.run.id)?.slice(0, 300) || null;
  const found = await findQuery(store, principal, form.run, call.channel, { now: now() });
  if (!found.ok) return found;
  const { query } = found.value;
  noteQuery(draft, query);
  const { asked } = call;
  if (asked !== undefined && (asked.userId !== principal.userId || asked.queryId !== query.id))
    return failed({ kind: 'InputStateInvalid' });

  const { authentication } = principal;
  const link = authentication.kind === 'link' ? authentication.link : null;
  if (link !== null) draft.parameters = { link: link.id };
  // the query may have changed since the link was created
  if (link !== null && !link.asIssuer && query.current.definition.parameters.some(isBound))
    return failed({ kind: 'BoundToCaller' });
  const declared = parametersToBind(query, form);
  const parameters = addKept(query, principal, form);
  const context = contextOf(principal, { now: now(), zone });
  // without the columns, the query has to run
  const isForViewers = form.isForViewers === true && query.current.resultColumns !== null;
  const bound = bindParameters(declared, parameters, isForViewers ? { ...context, caller: null } : context);
  const others = otherProblems(query, { open: form.sentOpen, chart: form.checkedChart });
  if (!bound.ok && link !== null && !isOfReader(bound.failure, link, form))
    return failed({ kind: 'StateConflict', reason: VALUES_OUTDATED });
  if (!bound.ok) return failed(withParameters(withProblems(bound.failure, others), parameters, principal, query));
  if (others.length > 0) return failed(inputRefused(others));
  draft.parameters = { ...draft.parameters, ...toAuditValues(bound.value, declared) };
  if (form.choicesOf === undefined && declared.some(({ choicesOnly }) => choicesOnly === true)) {
    // values of the issuer were checked when they were stored
    const checked = viewerBehind(principal) === null ? form.parameters : parameters;
    const sent = new Set(checked.flatMap(({ ParameterName }) => findDeclared(declared, ParameterName)?.name ?? []));
    const allowed = await checkChoices({ call, principal, query, values: bound.value }, sent);
    if (!allowed.ok) return allowed;
  }
  return succeeded({ ...found.value, values: bound.value, position: null });
}

const VALUES_OUTDATED =
  'The query of this link was changed, and does not accept the values of the link any more. Ask the person who gave it to you for a new one.';

/** Whether all problems are in values that the reader sends. The issuer's values are not shown to readers, who cannot correct them. */
function isOfReader(failure: Failure, { open }: DataLink, { parameters, kept = [] }: RunForm): boolean {
  const isIn = (values: readonly SentParameter[], name: string) => values.some(({ ParameterName }) => ParameterName === name);
  const isOwn = (name: string) => open.includes(name) && (isIn(parameters, name) || !isIn(kept, name));
  return !('problems' in failure) || failure.problems.every(({ field }) => isOwn(field));
}

const contextOf = (principal: Principal, clock: Clock): BindContext => ({
  caller: identityOf(principal),
  clock,
  fixed: fixedValuesOf(principal),
});

/** The values that are sent, and those that are kept for other parameters. What is fixed for a viewer replaces a value of the issuer. */
function addKept({ current }: Query, principal: Principal, { parameters, kept = [] }: RunForm): readonly SentParameter[] {
  if (kept.length === 0) return parameters;
  const declared = current.definition.parameters;
  const sent = withDeclaredNames(declared, parameters).map(({ ParameterName }) => ParameterName);
  const own = new Set([...sent, ...fixedNames(declared, fixedValuesOf(principal))]);
  return [...kept.filter(({ ParameterName }) => !own.has(ParameterName)), ...parameters];
}

/** For choices, only the parameters that they depend on: these must have a value. */
function parametersToBind(
  { current }: Query,
  { choicesOf, sentOpen = [], open = sentOpen }: Pick<RunForm, 'choicesOf' | 'open' | 'sentOpen'>,
): readonly ParameterDefinition[] {
  const declared = current.definition.parameters;
  if (choicesOf === undefined) {
    const names = new Set(open.map((each) => findDeclared(declared, each)?.name));
    return names.size === 0 ? declared : declared.map((each) => (names.has(each.name) ? { ...each, required: false } : each));
  }
  const needed = new Set(Object.values(findDeclared(declared, choicesOf)?.choices?.parameters ?? {}));
  return declared
    .filter((each) => isBound(each) || needed.has(each.name))
    .map((each) => (isBound(each) ? each : { ...each, required: true }));
}

/** The position that a code encodes. All rights are checked again, so a revocation also ends access to the result. */
export async function bindContinuation(
  parts: BindParts,
  call: Call,
  principal: Principal,
  form: ContinueForm,
  draft: AuditDraft,
): Promise<Result<Bound>> {
  draft.action = continueActions[form.kind];
  draft.query = (form.query?.queryName ?? form.query?.id)?.slice(0, 300) || null;
  const position = parts.continuations.read(form.continue, form.kind);
  if (form.parameters !== undefined) return bindSentContinuation(parts, call, principal, form, position, draft);
  if (position === null) return failed(invalidCodeFailure(form));
  const refuse = async (failure: Failure): Promise<Result<Bound>> => {
    draft.query = (await parts.store.queries.get(position.queryId))?.queryName ?? null; // the response does not name the query
    return failed(failure);
  };
  if (position.userId !== principal.userId) return refuse({ kind: 'ContinuationForeign' });
  const found = await findById(parts.store, principal, position.queryId, call.channel);
  if (found === null) return refuse({ kind: 'QueryNotAccessible' });
  noteQuery(draft, found.query);
  if (form.query === undefined) return succeeded({ ...found, values: [], position });
  const named = await findQuery(parts.store, principal, form.query, call.channel, { forResult: true });
  if (!named.ok) return named;
  const version = named.value.pin && (await versionOfResult(parts, position));
  if (named.value.query.id !== position.queryId || isOtherVersion(named.value, version)) return failed(otherCallFailure(form));
  return succeeded({ ...named.value, values: [], position });
}

/** The caller repeats the query and its parameters: they must be those that the code was issued for. */
async function bindSentContinuation(
  parts: BindParts,
  call: Call,
  principal: Principal,
  form: ContinueForm,
  position: SnapshotPosition | null,
  draft: AuditDraft,
): Promise<Result<Bound>> {
  const named = form.query ?? (position && { id: position.queryId });
  if (named === null) return failed(invalidCodeFailure(form));
  const found = await findQuery(parts.store, principal, named, call.channel, { forResult: true });
  if (!found.ok) return found;
  const { query } = found.value;
  noteQuery(draft, query);
  const version = position?.queryId === query.id ? await versionOfResult(parts, position) : null;
  const sent = form.parameters ?? [];
  const declared = await parametersOfResult(parts, query, version);
  const bound = bindParameters(declared, sent, {
    ...contextOf(principal, { now: parts.now(), zone: parts.zone }),
    caller: null,
  });
  if (!bound.ok) return failed(withParameters(bound.failure, sent, principal, query));
  draft.parameters = toAuditValues(bound.value, declared);
  // a tool has the same name for a first page and for later ones
  if (call.action !== undefined) draft.parameters = { ...draft.parameters, ...continued };
  if (position === null) return failed(invalidCodeFailure(form));
  if (position.userId !== principal.userId) return failed({ kind: 'ContinuationForeign' });
  const isSame =
    position.queryId === query.id && position.digest === digestOf(query.id, bound.value) && !isOtherVersion(found.value, version);
  return isSame ? succeeded({ ...found.value, values: bound.value, position }) : failed(otherCallFailure(form));
}

/** Null if it is not known, because the result is gone or has not begun. */
const versionOfResult = async ({ snapshots }: BindParts, { snapshotId }: SnapshotPosition): Promise<number | null> =>
  (await snapshots.manifest(snapshotId))?.queryVersion ?? null;

const isOtherVersion = ({ query, pin }: RunnableQuery, version: number | null): boolean =>
  pin !== null && version !== null && version !== query.current.version;

/** Those of the version that ran, also after a new version. */
async function parametersOfResult(
  { store }: BindParts,
  { id, current }: Query,
  version: number | null,
): Promise<readonly ParameterDefinition[]> {
  const ran = version === null || version === current.version ? null : await store.queries.readActivated(id, version);
  return (ran?.version ?? current).definition.parameters;
}

const continued = { continued: true }; // found by this text, see query-callers.ts

const continueActions = { page: 'query.next-page', stream: 'query.next-chunk', export: 'query.export' } as const;

const invalidCodeFailure = ({ kind }: ContinueForm): Extract<Failure, { kind: 'ContinuationInvalid' }> =>
  kind === 'page' ? { kind: 'ContinuationInvalid' } : { kind: 'ContinuationInvalid', of: kind };

/** The code is good, but was not issued for the query or the parameters that are sent with it. */
const otherCallFailure = (form: ContinueForm): Failure => ({ ...invalidCodeFailure(form), isOfOtherCall: true });

function noteQuery(draft: AuditDraft, { queryName, current }: Query): void {
  draft.query = queryName;
  draft.queryVersion = current.version;
}

/**
 * Adds the problems of the parameters, of the open ones and of the chart to those of a form if the caller may run the query, so that one response has
 * all of them. To other callers it says nothing about the query.
 */
export async function addParameterProblems(
  { store, now, zone }: BindParts,
  { channel }: Call,
  failure: Failure,
  draft: AuditDraft,
): Promise<Failure> {
  const { principal } = draft;
  if (principal === null || !('problems' in failure) || failure.sent === undefined) return failure;
  const { queryName, queryId: id, parameters: sent, chart, open } = failure.sent;
  const found = await findQuery(store, principal, { queryName, id }, channel);
  if (!found.ok) return failure;
  const { query } = found.value;
  noteQuery(draft, query);
  const declared = query.current.definition.parameters;
  const bound = bindParameters(parametersToBind(query, { open: open ?? [] }), sent, contextOf(principal, { now: now(), zone }));
  const reported = new Set(failure.problems.map(({ field }) => findDeclared(declared, field)?.name ?? field));
  const further = [...problemsOf(bound), ...otherProblems(query, { open, chart })].filter(({ field }) => !reported.has(field));
  if (further.length === 0) return failure;
  return withParameters(inputRefused([...failure.problems, ...further]), sent, principal, query);
}

interface CheckedForm {
  readonly open?: readonly string[] | undefined;
  readonly chart?: SentChart | undefined;
}

function otherProblems(query: Query, { open, chart }: CheckedForm): readonly FieldProblem[] {
  const ofOpen = open === undefined ? [] : problemsOf(readOpen(query.current.definition.parameters, open));
  return chart === undefined ? ofOpen : [...ofOpen, ...chartProblems(chart, query)];
}

const withProblems = (failure: Failure, further: readonly FieldProblem[]): Failure =>
  'problems' in failure && further.length > 0 ? inputRefused([...failure.problems, ...further]) : failure;

/** Adds the parameters of the query, and if nothing else is wrong, those that the caller left out. */
function withParameters(failure: Failure, sent: readonly SentParameter[], principal: Principal, query: Query): Failure {
  if (!('problems' in failure)) return failure;
  const { userId } = principal;
  const declared = query.current.definition.parameters;
  const fixed = fixedNames(declared, fixedValuesOf(principal));
  const parameters = sendableParameters(declared).filter(({ name }) => !fixed.has(name));
  const names = new Set(withDeclaredNames(parameters, sent).map(({ ParameterName }) => ParameterName));
  const missing = parameters.filter((each) => each.required && each.default === undefined && !names.has(each.name));
  const isAll = failure.problems.every(({ field }) => missing.some(({ name }) => name === field));
  if (!isAll) return { ...failure, parameters };
  return { ...failure, parameters, missing: { userId, queryId: query.id, queryName: query.queryName, parameters: missing } };
}

function toAuditValues(values: readonly BoundParameter[], declared: readonly ParameterDefinition[]): Record<string, unknown> {
  const entries: Record<string, unknown> = {};
  for (const each of values) {
    const { name } = each;
    const isNull = 'items' in each ? each.items.length === 0 : each.value === null;
    const isMasked = !isNull && declared.some((other) => other.masked === true && other.name === name);
    entries[name] = isMasked ? '***' : 'items' in each ? (isNull ? null : each.items.map(toAuditValue)) : toAuditValue(each);
  }
  return entries;
}

const toAuditValue = ({ value, expression }: Pick<BoundValue, 'value' | 'expression'>): unknown =>
  expression === undefined ? value : { expression, value };
