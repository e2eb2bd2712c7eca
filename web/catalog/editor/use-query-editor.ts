import { useCallback, useReducer } from 'react';
import type { SqlDialect } from '../../../src/catalog/sql-dialect.ts';
import { call } from '../../app/api.ts';
import { Problem } from '../../app/problem.ts';
import { queryClient } from '../../app/query-client.ts';
import type { Database } from '../../app/wire.ts';
import type { Activation } from './callers/ask-to-activate.ts';
import {
  type Beginning,
  type EditorState,
  feedbackOf,
  createInitialState,
  type Operation,
  reduceEditor,
} from './editor-state.ts';
import { type LoadedQuery, loadQuery } from './load-query.ts';
import type { MoveName } from './moves.ts';
import {
  bodyOf,
  dialectOf,
  listParameters,
  type ParameterDraft,
  type QueryDraft,
  type Unsaved,
  findUnsavedPart,
} from './query-draft.ts';

export interface QueryEditor extends Omit<EditorState, 'pristine'> {
  readonly isDirty: boolean;
  readonly unsaved: Unsaved;
  readonly dialect: SqlDialect;
  readonly database: Database | undefined;
  readonly parameters: readonly ParameterDraft[];
  readonly change: (change: (draft: QueryDraft) => QueryDraft) => void;
  readonly undo: () => void;
  // each resolves to null if the service refuses the operation
  readonly save: () => Promise<LoadedQuery | null>;
  readonly overwrite: () => Promise<LoadedQuery | null>;
  readonly move: (name: MoveName, activation?: Activation) => Promise<LoadedQuery | null>;
  readonly restoreVersion: (version: number) => Promise<LoadedQuery | null>;
  readonly acceptTheirs: () => void;
  /** Shows a preview's error at the field it belongs to; returns an error that belongs to none. */
  readonly showPreviewError: (error: unknown) => unknown;
}

/** The state of the query editor and the operations on the query. */
export function useQueryEditor(beginning: Beginning, databases: readonly Database[]): QueryEditor {
  const [state, dispatch] = useReducer(reduceEditor, null, () => createInitialState(beginning, databases));
  const { saved, pristine, draft, conflict } = state;
  const database = databases.find(({ name }) => name === draft.database);
  const dialect = dialectOf(database);
  const unsaved = findUnsavedPart(draft, pristine, dialect);
  const isDirty = unsaved !== 'nothing';

  const change = useCallback((edit: (draft: QueryDraft) => QueryDraft) => dispatch({ type: 'edited', change: edit }), []);

  const perform = async (
    operation: Operation,
    request: () => Promise<Changed>,
    replaces: QueryDraft | null,
  ): Promise<LoadedQuery | null> => {
    dispatch({ type: 'started', operation });
    try {
      const { id, warnings = [] } = await request();
      const next = await loadQuery(id);
      dispatch({ type: 'succeeded', loaded: next, warnings, replaces });
      void queryClient.invalidateQueries({ queryKey: ['queries'] });
      return next;
    } catch (error) {
      const isConflict = saved !== null && error instanceof Problem && error.status === 412;
      const theirs = isConflict ? await loadQuery(saved.target.id).catch(() => null) : null;
      if (theirs === null) dispatch({ type: 'failed', feedback: feedbackOf(error, bodyOf(draft, dialect)) });
      else dispatch({ type: 'conflicted', theirs });
      return null;
    }
  };

  const saveOver = (ifMatch: number | undefined) =>
    perform(
      'save',
      () => {
        // an unchanged note is left to the service
        const body = { ...bodyOf(draft, dialect), note: draft.note === pristine.note ? undefined : draft.note };
        if (saved === null) return call('POST /api/v1/queries', { body });
        return call('PUT /api/v1/queries/{id}', { params: { id: saved.target.id }, body }, { ifMatch });
      },
      draft,
    );

  return {
    ...{ ...state, isDirty, unsaved, dialect, database, change },
    parameters: listParameters(draft, dialect),
    showPreviewError: (error) => {
      const feedback = feedbackOf(error, bodyOf(draft, dialect));
      dispatch({ type: 'preview-failed', feedback });
      return feedback.problem;
    },
    undo: () => dispatch({ type: 'changes-undone' }),
    acceptTheirs: () => dispatch({ type: 'theirs-accepted' }),
    save: () => saveOver(saved?.target.version),
    overwrite: () => saveOver(conflict?.target.version),
    move: async (name, activation) => {
      const before = name === 'validate' && isDirty ? await saveOver(saved?.target.version) : saved;
      if (before === null) return null;
      const { id, version } = before.target;
      return perform(name, () => requests[name](id, version, activation), isDirty ? null : draft);
    },
    restoreVersion: async (version) => {
      if (saved === null) return null;
      const params = { id: saved.target.id, version: String(version) };
      const options = { ifMatch: saved.target.version };
      const request = () => call('POST /api/v1/queries/{id}/versions/{version}/restore', { params }, options);
      return perform('restore-version', request, draft);
    },
  };
}

interface Changed {
  readonly id: string;
  readonly warnings?: readonly string[] | undefined;
}

const requests: Readonly<Record<MoveName, (id: string, ifMatch: number, body?: Activation) => Promise<Changed>>> = {
  validate: (id, ifMatch) => call('POST /api/v1/queries/{id}/validate', { params: { id } }, { ifMatch }),
  activate: (id, ifMatch, body) => call('POST /api/v1/queries/{id}/activate', { params: { id }, body }, { ifMatch }),
  deactivate: (id, ifMatch) => call('POST /api/v1/queries/{id}/deactivate', { params: { id } }, { ifMatch }),
  void: (id, ifMatch) => call('POST /api/v1/queries/{id}/void', { params: { id } }, { ifMatch }),
  discard: async (id, ifMatch) => {
    await call('DELETE /api/v1/queries/{id}/draft', { params: { id } }, { ifMatch });
    return { id };
  },
  restore: (id, ifMatch) => call('POST /api/v1/queries/{id}/restore', { params: { id } }, { ifMatch }),
};
