import type { Permission } from '../../access/permission.ts';
import { has, isInScope, narrowedTo, type Principal } from '../../access/principal.ts';
import { allowedMoves, type Move } from '../../catalog/lifecycle.ts';
import type { Query, QueryDefinition, QueryStatus } from '../../catalog/query.ts';
import { filledFields } from '../../core/defined-fields.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { mayRun } from '../../pipeline/find-query.ts';
import type { ListRequest, QueryListRequest, Repositories } from '../../store/metadata-store.ts';

export type QueryAction = 'edit' | 'validate' | 'activate' | 'deactivate' | 'void' | 'restore' | 'discardDraft';

/** What a caller may change about a query now, by their permissions, their database scope and the state of the query. */
export type QueryRights = Readonly<Record<`can${Capitalize<QueryAction>}`, boolean>>;

const permissionFor: Readonly<Record<QueryAction, Permission>> = {
  edit: 'queries.author',
  validate: 'queries.author',
  discardDraft: 'queries.author',
  activate: 'queries.publish',
  deactivate: 'queries.publish',
  void: 'queries.publish',
  restore: 'queries.publish',
};

export function rightsOf(actor: Principal, query: Query): QueryRights {
  const moves = allowedMoves(query);
  const may = (action: QueryAction, move: Move): boolean => isPermitted(actor, action) && moves.includes(move);
  const { definition } = query.draft ?? query.current;
  const reachesDatabase = isInScope(actor, definition.databaseId);
  return {
    canEdit: may('edit', 'edited'),
    canValidate: may('validate', 'validated') && reachesDatabase,
    canActivate: may('activate', 'activated') && reachesDatabase && mayWrite(actor, definition),
    canDeactivate: may('deactivate', 'deactivated'),
    canVoid: may('void', 'voided'),
    canRestore: may('restore', 'restored'),
    canDiscardDraft: isPermitted(actor, 'discardDraft') && query.draft !== null,
  };
}

/** A key that is narrowed to some queries can only run them. */
const isPermitted = (actor: Principal, action: QueryAction): boolean =>
  narrowedTo(actor) === null && has(actor, permissionFor[action]);

/** SQL that writes needs a separate permission. */
export const mayWrite = (actor: Principal, { epilogue }: QueryDefinition): boolean =>
  epilogue === undefined || has(actor, 'queries.epilogue');

export interface QueryListing extends ListRequest {
  readonly status?: QueryStatus | undefined;
  readonly database?: string | undefined; // name
  readonly tag?: string | undefined;
}

/** Authors and publishers see queries in any state. Others, and keys restricted to queries, see Active ones only. */
export const managesQueries = (actor: Principal): boolean =>
  narrowedTo(actor) === null && (has(actor, 'queries.author') || has(actor, 'queries.publish'));

export function seesQuery(actor: Principal, query: Query): boolean {
  const only = narrowedTo(actor);
  if (only !== null && !only.includes(query.queryName)) return false;
  if (!managesQueries(actor)) return mayRun(actor, query);
  return [query.current, query.draft].some((version) => version !== null && isInScope(actor, version.definition.databaseId));
}

/** Not found if the actor cannot see the query; permission denied if they see it but lack `permission`. */
export async function findQuery(
  { queries }: Pick<Repositories, 'queries'>,
  actor: Principal,
  id: string,
  action?: QueryAction,
): Promise<Result<Query>> {
  const query = await queries.get(id);
  if (query === null || !seesQuery(actor, query)) return failed({ kind: 'NotFound', what: `query with the id ${id}` });
  if (action !== undefined && !isPermitted(actor, action))
    return failed({ kind: 'PermissionDenied', permission: permissionFor[action] });
  return succeeded(query);
}

/** The request that lists the queries the actor sees; null if they see none. */
export async function toVisibleRequest(
  { databases }: Pick<Repositories, 'databases'>,
  actor: Principal,
  filter: QueryListing,
): Promise<QueryListRequest | null> {
  const { status, database, tag, ...page } = filter;
  const manages = managesQueries(actor);
  if (!manages && !has(actor, 'queries.run')) return null;
  if (!manages && status !== undefined && status !== 'Active') return null;
  const statuses: readonly QueryStatus[] | null = manages ? (status === undefined ? null : [status]) : ['Active'];

  let databaseIds = actor.databaseScope === '*' ? null : actor.databaseScope;
  if (database !== undefined) {
    const named = await databases.byName(database);
    if (named === null || !isInScope(actor, named.id)) return null;
    databaseIds = [named.id];
  }
  const queryNames = narrowedTo(actor);
  if (databaseIds?.length === 0 || queryNames?.length === 0) return null;
  const grantedToRoles = manages ? null : actor.roleIds;
  return { ...page, ...filledFields({ statuses, databaseIds, grantedToRoles, queryNames, tag }) };
}
