import { isDeepStrictEqual } from 'node:util';
import { has, type Principal } from '../../access/principal.ts';
import { activate, applyEdit, deactivate, discardDraft, restore, validate } from '../../catalog/lifecycle.ts';
import { isBreaking } from '../../catalog/query-changes.ts';
import type { Query } from '../../catalog/query.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { Repositories } from '../../store/metadata-store.ts';
import { createBoundedWork } from '../bounded-work.ts';
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

const RUN_AT_ONCE = 2;
const MAX_WAITING = 4;

/** Compares the queries of a set of files with the catalog, and changes the catalog to match them. */
export function createCatalogFiles(parts: PlanParts & AdministrationParts & AffectedParts) {
  const bounded = createBoundedWork(RUN_AT_ONCE, MAX_WAITING);
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
        const breaking = request.allowBreaking ? [] : findBreakingChanges(plan.value);
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
    const after = activateContent({ ...planned, edit: { ...planned.edit, note } }, by, at);
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

/** Whether nothing that the validation depends on has changed since it was read. */
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

/** Returns the query as Active with the content of its file. */
function activateContent({ before, id, queryName, edit, columns }: PlannedQuery, by: string, at: number): Result<Query> {
  if (before?.status === 'Active' && isDeepStrictEqual(edit.definition, before.current.definition)) {
    // labels apply to the current version and to the draft
    const { definition } = before.draft ?? before.current;
    return applyEdit(before, { ...edit, definition }, by, at);
  }
  const edited = before === null ? succeeded(createQuery(id, queryName, edit, by, at)) : replaceContent(before, edit, by, at);
  if (!edited.ok) return edited;
  const isDraft = edited.value.draft !== null || edited.value.status === 'Draft';
  const ready = isDraft ? validate(edited.value, columns, by, at) : edited;
  return ready.ok ? activate(ready.value, by, at) : ready;
}

/** A draft that somebody has saved is discarded; it stays in the history. */
function replaceContent(before: Query, edit: PlannedQuery['edit'], by: string, at: number): Result<Query> {
  const restored = before.status === 'Void' ? restore(before, by, at) : succeeded(before);
  if (!restored.ok) return restored;
  const clean = restored.value.draft === null ? restored : discardDraft(restored.value, by, at);
  return clean.ok ? applyEdit(clean.value, edit, by, at) : clean;
}

const MOST_NAMED = 100;

function noteActions(note: AuditNote, { queries, withoutFile }: CatalogPlan, prune: boolean): void {
  const cut = (names: readonly string[]) => (names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'] : names);
  const of = (action: string) => cut(queries.filter((each) => each.action === action).map(({ queryName }) => queryName));
  note.parameters = {
    created: of('create'),
    changed: of('change'),
    activated: of('activate'),
    breaking: cut(queries.flatMap(({ queryName, changes }) => (isBreaking(changes) ? queryName : []))),
    deactivated: prune ? cut(withoutFile.map(({ queryName }) => queryName)) : [],
  };
}

/** The changes that break callers, each with its path in the request. */
const findBreakingChanges = ({ queries }: CatalogPlan) =>
  queries.flatMap(({ index, changes }) =>
    breakingOf(changes).map((change) => ({ ...change, field: `queries.${index}.${change.path}` })),
  );
