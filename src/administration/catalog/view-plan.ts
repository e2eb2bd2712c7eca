import type { Principal } from '../../access/principal.ts';
import { isBreaking } from '../../catalog/query-changes.ts';
import type { Query } from '../../catalog/query.ts';
import type { Repositories } from '../../store/metadata-store.ts';
import { type Affected, viewChange } from '../queries/query-changes.ts';
import { asWritten, readCatalogNames } from '../queries/query-view.ts';
import type { CatalogPlan } from './plan-catalog.ts';

export type CatalogPlanView = Awaited<ReturnType<typeof viewPlan>>;

const AFFECTED_MS = 30_000; // for all queries of a plan
const CALLER_DAYS = 90;

/** The plan for its reader: what changes, what it was before, and whom it breaks. */
export async function viewPlan(
  repositories: Pick<Repositories, 'databases' | 'roles'>,
  affected: Affected,
  actor: Principal,
  { queries, withoutFile }: CatalogPlan,
  prune: boolean,
) {
  const names = await readCatalogNames(
    repositories,
    queries.flatMap(({ before }) => before?.current ?? []),
  );
  const changed = [];
  const readUntil = performance.now() + AFFECTED_MS;
  for (const { queryName, action, before, warnings, changes } of queries) {
    if (action === 'none') continue;
    const isRead = before !== null && isBreaking(changes) && performance.now() < readUntil;
    changed.push({
      ...{ queryName, action, warnings },
      before: before === null ? null : asWritten(before.current, names),
      draft: before?.draft == null ? null : { version: before.draft.version, createdBy: before.draft.createdBy },
      breaking: isBreaking(changes),
      changes: changes.map(viewChange),
      affected: isRead ? await readAffected(affected, actor, before) : null,
    });
  }
  return {
    queries: changed,
    unchanged: queries.length - changed.length,
    deactivated: prune ? withoutFile.map(({ queryName }) => queryName) : [],
    withoutFile: prune ? [] : withoutFile.map(({ queryName }) => queryName),
  };
}

/** Null if the audit trail cannot be read now: the plan itself does not depend on it. */
async function readAffected({ readCallers, listDependants }: Affected, actor: Principal, query: Query) {
  const read = await readCallers(query.queryName, CALLER_DAYS);
  if (!read.ok) return null;
  const { versions: _, ...callers } = read.value;
  return { ...callers, ...(await listDependants(actor, query)) };
}
