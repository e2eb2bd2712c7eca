import type { Permission } from '../../access/permission.ts';
import { has, inScope, type Principal } from '../../access/principal.ts';
import { allowedMoves, type Move } from '../../catalog/lifecycle-moves.ts';
import type { Query, QueryDefinition } from '../../catalog/query.ts';
import { mayRun } from '../../delivery/steps/authorise.ts';

export type QueryAction = 'edit' | 'validate' | 'activate' | 'deactivate' | 'void' | 'restore' | 'discardDraft';

/** What a caller may do with a query now, by their permissions, their database scope and the state of the query. */
export type QueryRights = Readonly<Record<`can${'Run' | Capitalize<QueryAction>}`, boolean>>;

export const permissionFor: Readonly<Record<QueryAction, Permission>> = {
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
  const reachesDatabase = inScope(actor, definition.databaseId);
  return {
    canRun: mayRun(actor, query),
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
export const isPermitted = (actor: Principal, action: QueryAction): boolean =>
  narrowedTo(actor) === null && has(actor, permissionFor[action]);

/** SQL that writes needs a permission of its own. */
export const mayWrite = (actor: Principal, { epilogue }: QueryDefinition): boolean =>
  epilogue === undefined || has(actor, 'queries.epilogue');

/** The technical names that a key is narrowed to; null: no restriction. */
export const narrowedTo = ({ means }: Principal): readonly string[] | null => (means.kind === 'key' ? means.queries : null);
