import { problemOf } from '../../app/problem.ts';
import type { Database } from '../../app/wire.ts';
import { placeErrors } from '../../components/fields/field-errors.ts';
import type { SqlError } from '../../sql/sql-error.ts';
import type { KeptDraft } from './kept-draft.ts';
import type { LoadedQuery } from './load-query.ts';
import type { MoveName } from './moves.ts';
import { completeDraft, createDraft, pristineOf, type QueryDraft } from './query-draft.ts';

export type Operation = 'save' | 'restore-version' | MoveName;

export interface EditorState extends Feedback {
  readonly saved: LoadedQuery | null; // null: a new query
  readonly pristine: QueryDraft; // the draft without unsaved changes
  readonly draft: QueryDraft;
  readonly pending: Operation | null;
}

/** The service's response to the last operation. */
export interface Feedback {
  readonly errors: Readonly<Record<string, string>>; // by path in the request body
  readonly sqlErrors: SqlErrors;
  readonly warnings: readonly string[]; // from the last validation
  readonly problem: unknown; // an error that belongs to no field
  readonly conflict: LoadedQuery | null; // a newer version, saved by another user
}

export interface SqlErrors {
  readonly sql: SqlError | null;
  readonly epilogue: SqlError | null;
}

export type EditorEvent =
  | { readonly type: 'edited'; readonly change: (draft: QueryDraft) => QueryDraft }
  | { readonly type: 'changes-undone' }
  | { readonly type: 'started'; readonly operation: Operation }
  | {
      readonly type: 'succeeded';
      readonly loaded: LoadedQuery;
      readonly warnings: readonly string[];
      readonly replaces: QueryDraft | null; // the draft that `loaded` replaces; null: keep the draft
    }
  | { readonly type: 'failed'; readonly feedback: Feedback }
  | { readonly type: 'preview-failed'; readonly feedback: Feedback } // an operation may still be pending
  | { readonly type: 'conflicted'; readonly theirs: LoadedQuery }
  | { readonly type: 'theirs-accepted' };

const noFeedback: Feedback = {
  errors: {},
  sqlErrors: { sql: null, epilogue: null },
  warnings: [],
  problem: null,
  conflict: null,
};

export interface Beginning {
  readonly loaded: LoadedQuery | null; // null: a new query
  readonly kept: KeptDraft | null;
  readonly copied?: QueryDraft | null | undefined; // unsaved content of a new query
}

export function createInitialState({ loaded, kept, copied }: Beginning, databases: readonly Database[]): EditorState {
  const pristine = loaded === null ? createDraft(findOnlyDatabase(databases)) : pristineOf(loaded.target);
  const isOutdated = kept !== null && loaded !== null && kept.version !== loaded.target.version;
  return {
    ...noFeedback,
    saved: loaded,
    pristine,
    draft: kept === null ? (copied ?? pristine) : completeDraft(kept.draft),
    pending: null,
    conflict: isOutdated ? loaded : null,
  };
}

export function reduceEditor(state: EditorState, event: EditorEvent): EditorState {
  switch (event.type) {
    case 'edited':
      return withDraft(state, event.change(state.draft));
    case 'changes-undone':
      return withDraft(state, state.pristine);
    case 'started':
      return { ...state, ...noFeedback, pending: event.operation };
    case 'succeeded': {
      const pristine = pristineOf(event.loaded.target);
      // keeps what was typed while the request was running
      const draft = state.draft === event.replaces ? pristine : state.draft;
      return { ...noFeedback, saved: event.loaded, pristine, draft, pending: null, warnings: event.warnings };
    }
    case 'failed':
      return { ...state, ...event.feedback, pending: null };
    case 'preview-failed':
      return { ...state, ...event.feedback };
    case 'conflicted':
      return { ...state, ...noFeedback, conflict: event.theirs, pending: null };
    case 'theirs-accepted': {
      if (state.conflict === null) return state;
      const pristine = pristineOf(state.conflict.target);
      return { ...noFeedback, saved: state.conflict, pristine, draft: pristine, pending: state.pending };
    }
  }
}

/** Sorts an error of the service by the field it belongs to. `body` is the request body. */
export function feedbackOf(error: unknown, body: object): Feedback {
  const { fields, code, message } = problemOf(error);
  if (code === 'name_taken') return { ...noFeedback, errors: { name: message } };
  let errors: Record<string, string> = {};
  const problem = placeErrors({ setErrors: (placed) => (errors = placed), getValues: () => body }, error);
  const sqlErrors = {
    sql: fields.find(({ field }) => field === 'sql') ?? null,
    epilogue: fields.find(({ field }) => field === 'epilogue') ?? null,
  };
  return { ...noFeedback, errors, sqlErrors, problem };
}

/** An edit makes the feedback obsolete, except for a conflict. */
const withDraft = (state: EditorState, draft: QueryDraft): EditorState => ({
  ...state,
  ...noFeedback,
  conflict: state.conflict,
  draft,
});

const findOnlyDatabase = (databases: readonly Database[]): string => (databases.length === 1 ? (databases[0]?.name ?? '') : '');
