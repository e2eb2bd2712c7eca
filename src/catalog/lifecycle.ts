import { isDeepStrictEqual } from 'node:util';
import type { Column } from '../core/column.ts';
import { failed, type Result, succeeded } from '../core/errors.ts';
import type { Activation, Query, QueryDefinition, QueryLabels, QueryVersion, QueryStatus } from './query.ts';

/** A complete definition as an author saves it; it may be equal to the stored one. */
export interface QueryEdit {
  readonly definition: QueryDefinition;
  readonly labels: QueryLabels;
  readonly note?: string | undefined; // left out: the note stays, and a new version gets its default note
}

export interface EditOptions {
  /** The technical name derived from the definition; ignored once the first activation has fixed the name. */
  readonly queryName?: string;
  /** The note of a new version if the edit has none. */
  readonly newVersionNote?: string | undefined;
}

/** The version that an edit is based on, for If-Match. */
export const editTargetVersion = (query: Query): number => (query.draft ?? query.current).version;

/** A new version of a draft keeps its note. One that follows a version which was Active starts without a note. */
export const noteOfNewVersion = ({ status, current, draft }: Query): string => {
  if (draft !== null) return draft.note;
  return status === 'Draft' || status === 'Validated' ? current.note : '';
};

/** Applies to the draft if there is one; the current version stays unchanged. */
export function validate(query: Query, resultColumns: readonly Column[], by: string, at: number): Result<Query> {
  const { current, draft } = query;
  const changes: Partial<Query> =
    draft === null
      ? { status: 'Validated', current: { ...current, resultColumns } }
      : { draft: { ...draft, status: 'Validated', resultColumns } };
  return applyMove(query, 'validated', changes, by, at);
}

/** A version that is activated again keeps its number. */
export function activate(query: Query, by: string, at: number): Result<Query> {
  const { status: _, ...target } = query.draft ?? { status: null, ...query.current };
  const activation = target.activation ?? { number: target.version, at, retiresAt: null };
  const changes = { status: 'Active', current: { ...target, activation }, draft: null, nameFixed: true } as const;
  return applyMove(query, 'activated', changes, by, at);
}

/** The activation of a version that is or was Active. Earlier releases did not record it. */
export const activationOf = ({ activation, version: number, createdAt: at }: QueryVersion): Activation =>
  activation ?? { number, at, retiresAt: null };

export const deactivate = (query: Query, by: string, at: number): Result<Query> =>
  applyMove(query, 'deactivated', { status: 'Inactive' }, by, at);

export const markVoid = (query: Query, by: string, at: number): Result<Query> =>
  applyMove(query, 'voided', { status: 'Void', draft: null }, by, at);

export const restore = (query: Query, by: string, at: number): Result<Query> =>
  applyMove(query, 'restored', { status: 'Draft' }, by, at);

/** The discarded draft stays in the history. */
export function discardDraft(query: Query, by: string, at: number): Result<Query> {
  if (query.draft !== null) return writeQuery(query, { draft: null }, by, at);
  return failed({ kind: 'StateConflict', reason: 'This query has no draft to discard.' });
}

/** Creates a new version of what it changes; returns the query unchanged if nothing changed. */
export function applyEdit(query: Query, edit: QueryEdit, by: string, at: number, options: EditOptions = {}): Result<Query> {
  if (!allows(query, 'edited')) return conflict(query, 'edited');
  const target = query.draft ?? query.current;
  const sameDefinition = isDeepStrictEqual(edit.definition, target.definition);
  const sameLabels = isDeepStrictEqual(edit.labels, target.labels);
  if (sameDefinition && sameLabels) return annotate(query, edit.note ?? target.note, by, at);

  const version = query.lastVersion + 1;
  const saved: QueryVersion = {
    queryId: query.id,
    version,
    definition: edit.definition,
    labels: edit.labels,
    note: edit.note ?? options.newVersionNote ?? noteOfNewVersion(query),
    resultColumns: null,
    createdAt: at,
    createdBy: by,
  };
  const queryName = query.nameFixed ? query.queryName : (options.queryName ?? query.queryName);
  if (query.status === 'Active') {
    return writeQuery(query, sameDefinition ? relabel(query, saved) : saveDraft(query, saved), by, at);
  }
  return writeQuery(query, { status: 'Draft', current: saved, draft: null, lastVersion: version, queryName }, by, at);
}

/** Whether the new labels let a role, or an AI client, run the query that could not before. No roles means every role. */
export function widensAccess(before: QueryLabels, after: QueryLabels): boolean {
  if (after.aiAccess && !before.aiAccess) return true;
  if (before.roleIds.length === 0) return false;
  return after.roleIds.length === 0 || after.roleIds.some((id) => !before.roleIds.includes(id));
}

/** Changes the note without a new version or validation. */
function annotate(query: Query, note: string, by: string, at: number): Result<Query> {
  const { current, draft } = query;
  if (note === (draft ?? current).note) return succeeded(query);
  return writeQuery(query, draft === null ? { current: { ...current, note } } : { draft: { ...draft, note } }, by, at);
}

/**
 * Labels of an Active query apply immediately: they become a new version of `current`. A draft has the same labels and gets a new number,
 * too, so that an edit of the former ones is a conflict. The note is that of the draft if there is one, because that is what the author edits.
 */
function relabel(query: Query, saved: QueryVersion): Partial<Query> {
  const { definition, resultColumns } = query.current;
  const { labels, note, version } = saved;
  const current = { ...saved, definition, resultColumns, activation: activationOf(query.current) };
  if (query.draft === null) return { current, lastVersion: version };
  return {
    current: { ...current, note: '' },
    draft: { ...query.draft, version: version + 1, labels, note },
    lastVersion: version + 1,
  };
}

/** The draft gets the new version number; changed labels apply to `current` immediately, under its existing number. */
function saveDraft(query: Query, saved: QueryVersion): Partial<Query> {
  return {
    current: { ...query.current, labels: saved.labels },
    draft: { ...saved, status: 'Draft' },
    lastVersion: saved.version,
  };
}

function applyMove(query: Query, move: Move, changes: Partial<Query>, by: string, at: number): Result<Query> {
  return allows(query, move) ? writeQuery(query, changes, by, at) : conflict(query, move);
}

function writeQuery(query: Query, changes: Partial<Query>, by: string, at: number): Result<Query> {
  return succeeded({ ...query, ...changes, revision: query.revision + 1, updatedAt: at, updatedBy: by });
}

const allows = (query: Query, move: Move): boolean => allowedMoves(query).includes(move);

function conflict(query: Query, move: Move) {
  const state = query.draft === null ? query.status : `${query.status} with a draft that is ${query.draft.status}`;
  const allowed = joinMoves(allowedMoves(query));
  return failed({ kind: 'StateConflict', reason: `The query is ${state}: it cannot be ${move}. It can be ${allowed}.` });
}

function joinMoves(moves: readonly Move[]): string {
  const last = moves.at(-1) ?? '';
  return moves.length > 1 ? `${moves.slice(0, -1).join(', ')} or ${last}` : last;
}

export type Move = 'validated' | 'activated' | 'deactivated' | 'voided' | 'restored' | 'edited';

interface QueryState {
  readonly status: QueryStatus;
  readonly draft: { readonly status: 'Draft' | 'Validated' } | null;
}

/** The transitions that are possible now. Validate and activate apply to the draft if there is one. */
export function allowedMoves({ status, draft }: QueryState): readonly Move[] {
  const moves = movesFrom[status];
  if (draft === null) return moves;
  const ofDraft: readonly Move[] = draft.status === 'Validated' ? ['activated'] : ['validated'];
  return [...moves.filter((move) => move !== 'activated'), ...ofDraft];
}

const movesFrom: Readonly<Record<QueryStatus, readonly Move[]>> = {
  Draft: ['edited', 'validated', 'voided'],
  Validated: ['edited', 'activated', 'voided'],
  Active: ['edited', 'deactivated'],
  Inactive: ['edited', 'activated', 'voided'],
  Void: ['restored'],
};
