import { isDeepStrictEqual } from 'node:util';
import { has, type Principal } from '../../access/principal.ts';
import { activate, applyEdit, deactivate, discardDraft, restore, validate } from '../../catalog/lifecycle.ts';
import { isBreaking } from '../../catalog/query-changes.ts';
import type { Query } from '../../catalog/query.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { Repositories } from '../../store/metadata-store.ts';
import { type BoundedWork, createBoundedWork } from '../bounded-work.ts';
import type { AdministrationParts, AuditNote } from '../change.ts';
import { createQuery } from '../queries/queries.ts';
import { type AffectedParts, breakingChange, breakingOf, createAffected } from '../queries/query-changes.ts';
import { permissionDenied } from '../users/grant-rules.ts';
import { type CatalogPlan, type CatalogRequest, planCatalog, type PlannedQuery, type PlanParts } from './plan-catalog.ts';
import { viewPlan } from './view-plan.ts';

export interface ApplyRequest extends CatalogRequest {
  readonly allowBreaking: boolean;
  readonly note?: string | undefined; // of the versions that it creates
}

export type CatalogFiles = ReturnType<typeof createCatalogFiles>;

const AT_ONCE = 2;
const WAITING = 4;

/** The catalog as files: compares a complete description of queries with the catalog, and makes the catalog like it. */
export function createCatalogFiles(parts: PlanParts & AdministrationParts & AffectedParts) {
  const bounded: BoundedWork = createBoundedWork(AT_ONCE, WAITING);
  const { store, now } = parts;
  const affected = createAffected(parts);
  return {
    plan: (actor: Principal, request: CatalogRequest, signal: AbortSignal, note: AuditNote) =>
      bounded(async () => {
        const plan = await planCatalog(parts, actor, request, signal);
        if (!plan.ok) return plan;
        noteActions(note, plan.value, request.prune);
        return succeeded(await viewPlan(store, affected, actor, plan.value, request.prune));
      }),

    /** Validates every query first, then writes all of them in one transaction, or none. */
    apply: (actor: Principal, request: ApplyRequest, signal: AbortSignal, note: AuditNote) =>
      bounded(async () => {
        if (!has(actor, 'queries.publish')) return permissionDenied('queries.publish');
        const plan = await planCatalog(parts, actor, request, signal);
        if (!plan.ok) return plan;
        noteActions(note, plan.value, request.prune);
        const breaking = request.allowBreaking ? [] : breakingIn(request, plan.value);
        if (breaking.length > 0) return failed(breakingChange(breaking, ({ field }) => field));
        const view = await viewPlan(store, affected, actor, plan.value, request.prune);
        const written = await store.transaction((repositories) =>
          write(repositories, plan.value, request, actor.username, now()),
        );
        return written.ok ? succeeded(view) : written;
      }),
  };
}

async function write(
  repositories: Repositories,
  { queries, withoutFile, revisions }: CatalogPlan,
  { prune, note }: ApplyRequest,
  by: string,
  at: number,
): Promise<Result<null>> {
  if (!(await isUnchanged(repositories, queries, revisions)))
    return failed({
      kind: 'StateConflict',
      reason: 'The catalog was changed while the queries were validated. Nothing was applied; try again.',
    });
  for (const planned of queries) {
    if (planned.action === 'none') continue;
    const { before } = planned;
    const after = advance({ ...planned, edit: { ...planned.edit, note } }, by, at);
    if (!after.ok) return after;
    if (before === null) await repositories.queries.insert({ ...after.value, revision: 1 });
    else await repositories.queries.update({ ...after.value, revision: before.revision + 1 });
  }
  for (const query of prune ? withoutFile : []) {
    const after = deactivate(query, by, at);
    if (!after.ok) return after;
    await repositories.queries.update(after.value);
  }
  return succeeded(null);
}

/** Whether everything that the validation depends on is as it was read. */
async function isUnchanged(
  repositories: Repositories,
  queries: readonly PlannedQuery[],
  revisions: CatalogPlan['revisions'],
): Promise<boolean> {
  for (const [id, revision] of revisions) if ((await repositories.queries.get(id))?.revision !== revision) return false;
  for (const { before, queryName } of queries)
    if (before === null && (await repositories.queries.byQueryName(queryName)) !== null) return false;
  const databases = new Map(queries.map(({ database }) => [database.id, database.version]));
  for (const [id, version] of databases) if ((await repositories.databases.get(id))?.version !== version) return false;
  const roles = new Set((await repositories.roles.listAll()).map(({ id }) => id));
  return queries.every(({ edit }) => edit.labels.roleIds.every((id) => roles.has(id)));
}

/** The query as Active with the content of its file. A draft that others have saved is discarded if the definition changes; it stays in the history. */
function advance({ before, id, queryName, edit, columns }: PlannedQuery, by: string, at: number): Result<Query> {
  if (before === null) return chain(succeeded(createQuery(id, queryName, edit, by, at)), validated, activated);
  if (before.status === 'Active' && isDeepStrictEqual(edit.definition, before.current.definition)) {
    // labels apply to the current version and to the draft
    const { definition } = before.draft ?? before.current;
    return applyEdit(before, { ...edit, definition }, by, at);
  }
  return chain(succeeded(before), restored, withoutDraft, edited, validated, activated);

  function restored(query: Query): Result<Query> {
    return query.status === 'Void' ? restore(query, by, at) : succeeded(query);
  }
  function withoutDraft(query: Query): Result<Query> {
    return query.draft === null ? succeeded(query) : discardDraft(query, by, at);
  }
  function edited(query: Query): Result<Query> {
    return applyEdit(query, edit, by, at);
  }
  function validated(query: Query): Result<Query> {
    const isDraft = query.draft !== null || query.status === 'Draft';
    return isDraft ? validate(query, columns, by, at) : succeeded(query);
  }
  function activated(query: Query): Result<Query> {
    return activate(query, by, at);
  }
}

const chain = (start: Result<Query>, ...steps: readonly ((query: Query) => Result<Query>)[]): Result<Query> =>
  steps.reduce((result, step) => (result.ok ? step(result.value) : result), start);

const MOST_NAMED = 100;

function noteActions(note: AuditNote, { queries, withoutFile }: CatalogPlan, prune: boolean): void {
  const named = (names: readonly string[]) => (names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'] : names);
  const of = (action: string) => named(queries.filter((each) => each.action === action).map(({ queryName }) => queryName));
  note.parameters = {
    created: of('create'),
    changed: of('change'),
    activated: of('activate'),
    breaking: named(queries.flatMap(({ queryName, changes }) => (isBreaking(changes) ? queryName : []))),
    deactivated: prune ? named(withoutFile.map(({ queryName }) => queryName)) : [],
  };
}

/** The changes that break callers, each with its path in the request. */
const breakingIn = ({ queries: sent }: CatalogRequest, { queries }: CatalogPlan) =>
  queries.flatMap(({ queryName, changes }) => {
    const index = sent.findIndex((each) => each.queryName === queryName);
    return breakingOf(changes).map((change) => ({ ...change, field: `queries.${index}.${change.path}` }));
  });
