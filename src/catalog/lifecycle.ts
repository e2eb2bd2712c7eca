import { isDeepStrictEqual } from 'node:util';
import { failed, type Result, succeeded } from '../errors.ts';
import type { Column } from '../results/column.ts';
import { allowedMoves, type Move } from './lifecycle-moves.ts';
import type { Query, QueryDefinition, QueryLabels, QueryVersion } from './query.ts';

/** What an author saves: the whole of it, changed or not. */
export interface QueryEdit {
  readonly definition: QueryDefinition;
  readonly labels: QueryLabels;
}

export interface EditOptions {
  /** The technical name that the definition gives; counts until the first activation fixes the name. */
  readonly queryName?: string;
}

/** The number that an edit is based on, for If-Match. */
export const editTargetVersion = (query: Query): number => (query.draft ?? query.current).version;

/** A draft beside is what validate and activate act on; the version that callers see stays untouched. */
export function validated(query: Query, resultColumns: readonly Column[], by: string, at: number): Result<Query> {
  if (query.draft !== null) {
    if (query.draft.status !== 'Draft') return conflict(query, 'validated');
    return written(query, { draft: { ...query.draft, status: 'Validated', resultColumns } }, by, at);
  }
  if (query.status !== 'Draft') return conflict(query, 'validated');
  return written(query, { status: 'Validated', current: { ...query.current, resultColumns } }, by, at);
}

export function activated(query: Query, by: string, at: number): Result<Query> {
  if (query.draft !== null) {
    if (query.draft.status !== 'Validated') return conflict(query, 'activated');
    const { status: _, ...current } = query.draft;
    return written(query, { status: 'Active', current, draft: null }, by, at);
  }
  if (query.status !== 'Validated' && query.status !== 'Inactive') return conflict(query, 'activated');
  return written(query, { status: 'Active', nameFixed: true }, by, at);
}

export function deactivated(query: Query, by: string, at: number): Result<Query> {
  return query.status === 'Active' ? written(query, { status: 'Inactive' }, by, at) : conflict(query, 'deactivated');
}

export function voided(query: Query, by: string, at: number): Result<Query> {
  if (query.status === 'Active' || query.status === 'Void') return conflict(query, 'voided');
  return written(query, { status: 'Void', draft: null }, by, at);
}

export function restored(query: Query, by: string, at: number): Result<Query> {
  return query.status === 'Void' ? written(query, { status: 'Draft' }, by, at) : conflict(query, 'restored');
}

/** What callers see stays as it is; the version stays in the history. */
export function draftDiscarded(query: Query, by: string, at: number): Result<Query> {
  if (query.draft !== null) return written(query, { draft: null }, by, at);
  return failed({ kind: 'StateConflict', reason: 'No draft stands beside this query: there is nothing to discard.' });
}

/** One save, one new version number at most; a save that changes nothing gives the query back as it is. */
export function edited(query: Query, edit: QueryEdit, by: string, at: number, options: EditOptions = {}): Result<Query> {
  if (query.status === 'Void') return conflict(query, 'edited');
  const target = query.draft ?? query.current;
  const sameDefinition = isDeepStrictEqual(edit.definition, target.definition);
  const sameLabels = isDeepStrictEqual(edit.labels, target.labels);
  if (sameDefinition && sameLabels) return succeeded(query);

  const version = query.lastVersion + 1;
  const saved: QueryVersion = { queryId: query.id, version, ...edit, resultColumns: null, createdAt: at, createdBy: by };
  const queryName = query.nameFixed ? query.queryName : (options.queryName ?? query.queryName);
  if (query.status === 'Active') {
    return written(query, sameDefinition ? relabelled(query, saved) : drafted(query, saved), by, at);
  }
  return written(query, { status: 'Draft', current: saved, draft: null, lastVersion: version, queryName }, by, at);
}

/** Whether these labels let someone, or an AI, run a query that the former ones kept out. No roles: every role. */
export function widensAccess(before: QueryLabels, after: QueryLabels): boolean {
  if (after.aiAccess && !before.aiAccess) return true;
  if (before.roleIds.length === 0) return false;
  return after.roleIds.length === 0 || after.roleIds.some((id) => !before.roleIds.includes(id));
}

/** Labels of an Active query count at once: a new version of what callers see, and the draft follows under its own number. */
function relabelled(query: Query, saved: QueryVersion): Partial<Query> {
  const { definition, resultColumns } = query.current;
  return {
    current: { ...saved, definition, resultColumns },
    draft: query.draft === null ? null : { ...query.draft, labels: saved.labels },
    lastVersion: saved.version,
  };
}

/** The draft takes the number of the save; labels that changed with it count at once under the number that callers see already. */
function drafted(query: Query, saved: QueryVersion): Partial<Query> {
  return {
    current: { ...query.current, labels: saved.labels },
    draft: { ...saved, status: 'Draft' },
    lastVersion: saved.version,
  };
}

function written(query: Query, changes: Partial<Query>, by: string, at: number): Result<Query> {
  return succeeded({ ...query, ...changes, revision: query.revision + 1, updatedAt: at, updatedBy: by });
}

function conflict(query: Query, move: Move) {
  const state = query.draft === null ? query.status : `${query.status} with a draft beside it that is ${query.draft.status}`;
  const allowed = listed(allowedMoves(query));
  return failed({ kind: 'StateConflict', reason: `The query is ${state}: it cannot be ${move}. It can be ${allowed}.` });
}

function listed(moves: readonly Move[]): string {
  const last = moves.at(-1) ?? '';
  return moves.length > 1 ? `${moves.slice(0, -1).join(', ')} or ${last}` : last;
}
