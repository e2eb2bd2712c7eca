import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { has, isInScope, type Principal } from '../../access/principal.ts';
import { trimSql } from '../../catalog/files/query-file.ts';
import type { QueryEdit } from '../../catalog/lifecycle.ts';
import type { QueryChange } from '../../catalog/query-changes.ts';
import type { Query } from '../../catalog/query.ts';
import type { Connections } from '../../connectors/connector.ts';
import type { Column } from '../../core/column.ts';
import { mapAtOnce } from '../../core/concurrency/map-at-once.ts';
import { type Failure, type FieldProblem, failed, inputRefused, type Result, succeeded } from '../../core/errors.ts';
import { listAll } from '../../core/list-all.ts';
import type { DatabaseRecord, MetadataStore } from '../../store/metadata-store.ts';
import { databaseDisabled } from '../databases/database-probe.ts';
import { checkChoices, checkParameterUse } from '../queries/check-query.ts';
import { createQuery } from '../queries/queries.ts';
import { readChanges } from '../queries/query-changes.ts';
import { checkEpilogue, type QueryInput, resolveQuery } from '../queries/query-definition.ts';
import { describeQuery } from '../queries/query-lifecycle.ts';
import { seesQuery, toVisibleRequest } from '../queries/query-rights.ts';
import { permissionDenied } from '../users/grant-rules.ts';

/** A query as its files describe it, complete. */
export interface CatalogQuery extends QueryInput {
  readonly queryName: string;
}

export interface CatalogRequest {
  readonly queries: readonly CatalogQuery[];
  readonly prune: boolean; // deactivate Active queries without a file
}

export interface PlanParts {
  readonly store: MetadataStore;
  readonly connections: Pick<Connections, 'connectorFor' | 'engineOf'>;
  readonly providerAttributes: ReadonlySet<string>;
}

/** What becomes of a query. `activate`: it was not Active; its definition may also change. */
export type PlannedAction = 'create' | 'change' | 'activate' | 'none';

export interface PlannedQuery {
  readonly index: number; // in the request
  readonly action: PlannedAction;
  readonly queryName: string;
  readonly id: string;
  readonly before: Query | null;
  readonly edit: QueryEdit;
  readonly database: DatabaseRecord;
  readonly columns: readonly Column[];
  readonly warnings: readonly string[];
  readonly changes: readonly QueryChange[]; // for callers
}

export interface CatalogPlan {
  readonly queries: readonly PlannedQuery[];
  readonly withoutFile: readonly Query[]; // Active; deactivated with `prune`
  readonly revisions: ReadonlyMap<string, number>; // of every stored query that the plan depends on, by id
}

const AT_ONCE = 4;

/** Compares the files with the catalog and validates every query of them against its database. Changes nothing; reports all problems at once. */
export async function planCatalog(
  parts: PlanParts,
  actor: Principal,
  { queries, prune }: CatalogRequest,
  signal: AbortSignal,
): Promise<Result<CatalogPlan>> {
  if (!has(actor, 'queries.author')) return permissionDenied('queries.author');
  const problems: FieldProblem[] = [];
  const revisions = new Map<string, number>();
  const seen = new Set<string>();
  const matched: Matched[] = [];
  for (const [index, query] of queries.entries()) {
    const found = seen.has(query.queryName)
      ? failed(misnamed('Another file has this name.'))
      : await match(parts, actor, query, index);
    seen.add(query.queryName);
    if (found.ok) matched.push(found.value);
    else if (!addProblems(problems, index, found.failure)) return found;
  }
  const described = await mapAtOnce(matched, AT_ONCE, async (each) => ({ each, found: await describe(parts, each, signal) }));
  const planned: PlannedQuery[] = [];
  for (const { each, found } of described) {
    if (found.ok) planned.push({ ...each, ...found.value, changes: await changesOf(parts.store, each, found.value.columns) });
    else if (!addProblems(problems, each.index, found.failure)) return found;
  }

  const withoutFile = await listWithoutFile(parts.store, actor, seen);
  const after = catalogAfter(parts.store, planned, prune ? withoutFile : [], revisions);
  for (const { index, queryName, id, edit } of planned) {
    const agree = await checkChoices(after, actor, { id, queryName }, edit.definition);
    if (!agree.ok && !addProblems(problems, index, agree.failure)) return agree;
  }
  if (problems.length > 0) return failed(inputRefused(problems));
  const stored = [...planned.flatMap(({ before }) => before ?? []), ...(prune ? withoutFile : [])];
  for (const { id, revision } of stored) revisions.set(id, revision);
  return succeeded({ queries: planned, withoutFile, revisions });
}

type Matched = Omit<PlannedQuery, 'columns' | 'warnings' | 'changes'>;

const misnamed = (message: string): Failure => ({ kind: 'FieldInvalid', problems: [{ field: 'queryName', message }] });

/** False if the failure is not about a file. */
function addProblems(problems: FieldProblem[], index: number, failure: Failure): boolean {
  const add = ({ field, ...problem }: FieldProblem): void =>
    void problems.push({ ...problem, field: `queries.${index}.${field}` });
  if (failure.kind === 'SqlInvalid') {
    const { kind: _, field = 'sql', ...problem } = failure;
    add({ field, ...problem });
    return true;
  }
  if (!('problems' in failure)) return false;
  failure.problems.forEach(add);
  return true;
}

/** The query that a file is about, and its content with names resolved. */
async function match({ store }: PlanParts, actor: Principal, input: CatalogQuery, index: number): Promise<Result<Matched>> {
  const { queryName } = input;
  if (!/^[\p{L}\p{M}\p{Nd}_]{1,300}$/u.test(queryName))
    return failed(misnamed('A technical name has letters, digits and underscores, 300 at most.'));
  const before = await store.queries.byQueryName(queryName);
  if (before !== null && !(seesQuery(actor, before) && isInScope(actor, before.current.definition.databaseId)))
    return failed(misnamed('A query of this name exists on a database that is not in your scope.'));
  const current = before?.current ?? null;
  const kept = current === null ? input : withSameTexts(input, current.definition);
  const resolved = await resolveQuery(store, actor, kept, await store.databases.byName(input.database), current);
  if (!resolved.ok) return resolved;
  const { edit, database } = resolved.value;
  const allowed = checkEpilogue(actor, edit.definition, database);
  if (!allowed.ok) return allowed.failure.kind === 'PermissionDenied' ? failed(epilogueDenied(queryName)) : allowed;
  return succeeded({ index, action: actionOf(before, edit), queryName, id: before?.id ?? randomUUID(), before, edit, database });
}

const epilogueDenied = (queryName: string): Failure => ({
  kind: 'PermissionDenied',
  reason: `The Epilogue of ${queryName} needs the permission queries.epilogue. Ask an administrator for a role that has it.`,
});

/** SQL that differs only in what editors change stays as it is. */
function withSameTexts(
  input: CatalogQuery,
  { sql, epilogue }: { readonly sql: string; readonly epilogue?: string },
): CatalogQuery {
  const same = (one: string | null | undefined, other: string | undefined): boolean =>
    trimSql(one ?? '') === trimSql(other ?? '');
  return {
    ...input,
    sql: same(input.sql, sql) ? sql : input.sql,
    epilogue: same(input.epilogue, epilogue) ? (epilogue ?? null) : input.epilogue,
  };
}

function actionOf(before: Query | null, { definition, labels }: QueryEdit): PlannedAction {
  if (before === null) return 'create';
  if (before.status !== 'Active') return 'activate';
  const { current } = before;
  return isDeepStrictEqual([definition, labels], [current.definition, current.labels]) ? 'none' : 'change';
}

/** The changes for callers. Labels alone change none, and keep the columns of the last validation. */
async function changesOf(store: MetadataStore, { before, edit: { definition } }: Matched, resultColumns: readonly Column[]) {
  const isSame = before?.status === 'Active' && isDeepStrictEqual(definition, before.current.definition);
  return before === null || isSame ? [] : readChanges(store, before, { definition, resultColumns });
}

/** The checks of a validation, except of choices. */
async function describe(parts: PlanParts, { edit: { definition }, database }: Matched, signal: AbortSignal) {
  if (database.disabled) return failed(databaseDisabled(database));
  const placed = checkParameterUse(definition, parts.connections.engineOf(database).dialect);
  return placed.ok ? describeQuery(parts, definition, database, signal) : placed;
}

const LISTED_AT_ONCE = 200;

/** The Active queries in the actor's scope that no file describes. */
async function listWithoutFile(store: MetadataStore, actor: Principal, named: ReadonlySet<string>): Promise<readonly Query[]> {
  const request = await toVisibleRequest(store, actor, { status: 'Active', limit: LISTED_AT_ONCE });
  if (request === null) return [];
  const found: Query[] = [];
  for await (const query of listAll((from) => store.catalog.list({ ...request, ...from })))
    if (!named.has(query.queryName)) found.push(query);
  return found;
}

/** Queries by name as they will be; notes the revisions of those that stay as they are. */
function catalogAfter(
  store: MetadataStore,
  planned: readonly PlannedQuery[],
  deactivated: readonly Query[],
  revisions: Map<string, number>,
): Parameters<typeof checkChoices>[0] {
  const byName = new Map(planned.map((each) => [each.queryName, queryAfter(each)]));
  const gone = new Set(deactivated.map(({ queryName }) => queryName));
  return {
    queries: {
      async byQueryName(queryName) {
        const known = byName.get(queryName);
        if (known !== undefined || gone.has(queryName)) return known ?? null;
        const stored = await store.queries.byQueryName(queryName);
        if (stored !== null) revisions.set(stored.id, stored.revision);
        return stored;
      },
    },
  };
}

function queryAfter({ id, queryName, edit, columns }: PlannedQuery): Query {
  const query = createQuery(id, queryName, edit, '', 0);
  return { ...query, status: 'Active', current: { ...query.current, resultColumns: columns } };
}
