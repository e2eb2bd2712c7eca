import { useCallback, useState } from 'react';
import type { SqlDialect } from '../../../src/catalog/sql-dialect.ts';
import { call } from '../../app/api.ts';
import { Problem, problemOf } from '../../app/problem.ts';
import { queryClient } from '../../app/query-client.ts';
import type { Database } from '../../app/wire.ts';
import { placeErrors } from '../../components/field-errors.ts';
import type { SqlMistake } from '../../sql/sql-mistake.ts';
import type { KeptDraft } from './kept-draft.ts';
import { type LoadedQuery, loadQuery } from './load-query.ts';
import type { MoveName } from './moves.ts';
import {
  bodyOf,
  dialectOf,
  draftOf,
  isSame,
  listedParameters,
  newDraft,
  type ParameterDraft,
  type QueryDraft,
} from './query-draft.ts';

export type Doing = 'save' | 'restore-version' | MoveName;

export interface QueryEditor {
  readonly draft: QueryDraft;
  readonly change: (change: (draft: QueryDraft) => QueryDraft) => void;
  readonly saved: LoadedQuery | null; // null: a new query
  readonly isDirty: boolean;
  readonly doing: Doing | null;
  readonly dialect: SqlDialect;
  readonly database: Database | undefined;
  readonly parameters: readonly ParameterDraft[];
  readonly errors: Readonly<Record<string, string>>; // by body path
  readonly mistakes: Mistakes;
  readonly warnings: readonly string[]; // of the last validation
  readonly problem: unknown; // what has no place of its own
  /** What somebody else saved in the meantime. */
  readonly conflict: LoadedQuery | null;
  readonly save: () => Promise<LoadedQuery | null>; // null: refused
  readonly saveOver: () => Promise<LoadedQuery | null>;
  readonly takeTheirs: () => void;
  readonly undo: () => void;
  readonly move: (name: MoveName) => Promise<LoadedQuery | null>;
  readonly restoreVersion: (version: number) => Promise<LoadedQuery | null>;
  /** Puts what the service has against the texts at their place; gives back what has none. */
  readonly showProblem: (error: unknown) => unknown;
}

export interface Mistakes {
  readonly sql: SqlMistake | null;
  readonly epilogue: SqlMistake | null;
}

/** What the service says of the query. */
interface Remarks {
  readonly errors: Readonly<Record<string, string>>;
  readonly mistakes: Mistakes;
  readonly warnings: readonly string[];
  readonly problem: unknown;
  readonly conflict: LoadedQuery | null;
}

const nothing: Remarks = { errors: {}, mistakes: { sql: null, epilogue: null }, warnings: [], problem: null, conflict: null };

/** A query while its author works on it. */
export function useQueryEditor(loaded: LoadedQuery | null, databases: readonly Database[], kept: KeptDraft | null): QueryEditor {
  const [saved, setSaved] = useState(loaded);
  const [draft, setDraft] = useState(
    () => kept?.draft ?? (loaded === null ? newDraft(onlyOne(databases)) : draftOf(loaded.target)),
  );
  const [doing, setDoing] = useState<Doing | null>(null);
  const [remarks, setRemarks] = useState<Remarks>(() =>
    kept !== null && loaded !== null && kept.version !== loaded.target.version ? { ...nothing, conflict: loaded } : nothing,
  );
  const database = databases.find(({ name }) => name === draft.database);
  const dialect = dialectOf(database);
  const pristine = saved === null ? newDraft(onlyOne(databases)) : draftOf(saved.target);
  const isDirty = !isSame(draft, pristine, dialect);

  const change = useCallback((changed: (draft: QueryDraft) => QueryDraft) => {
    setDraft(changed);
    setRemarks(({ conflict }) => ({ ...nothing, conflict })); // said of what it was before
  }, []);

  const showProblem = (error: unknown): unknown => {
    let errors: Record<string, string> = {};
    const body = bodyOf(draft, dialect);
    const rest = placeErrors({ setErrors: (placed) => (errors = placed), getValues: () => body }, error);
    const { fields, code, message } = problemOf(error);
    if (code === 'name_taken') {
      setRemarks({ ...nothing, errors: { name: message } });
      return null;
    }
    const mistakes = {
      sql: fields.find(({ field }) => field === 'sql') ?? null,
      epilogue: fields.find(({ field }) => field === 'epilogue') ?? null,
    };
    setRemarks({ ...nothing, errors, mistakes, problem: rest });
    return rest;
  };

  /** Does one thing at a time, then takes over what the service has afterwards. */
  const perform = async (what: Doing, work: () => Promise<Moved>, keepsDraft: boolean): Promise<LoadedQuery | null> => {
    setDoing(what);
    setRemarks(nothing);
    try {
      const { id, warnings = [] } = await work();
      if (warnings.length > 0) setRemarks({ ...nothing, warnings });
      const next = await loadQuery(id);
      setSaved(next);
      // what was typed while the save was on its way stays
      setDraft((now) => (keepsDraft || now !== draft ? now : draftOf(next.target)));
      void queryClient.invalidateQueries({ queryKey: ['queries'] });
      return next;
    } catch (error) {
      if (saved !== null && error instanceof Problem && error.status === 412) {
        const theirs = await loadQuery(saved.target.id).catch(() => null);
        setRemarks({ ...nothing, conflict: theirs, problem: theirs === null ? error : null });
      } else showProblem(error);
      return null;
    } finally {
      setDoing(null);
    }
  };

  const saveOn = (ifMatch: number | undefined) =>
    perform(
      'save',
      () => {
        const body = bodyOf(draft, dialect);
        if (saved === null) return call('POST /api/v1/queries', { body });
        return call('PUT /api/v1/queries/{id}', { params: { id: saved.target.id }, body }, { ifMatch });
      },
      false,
    );

  return {
    ...{ draft, change, saved, isDirty, doing, dialect, database, ...remarks },
    parameters: listedParameters(draft, dialect),
    showProblem,
    save: () => saveOn(saved?.target.version),
    saveOver: () => saveOn(remarks.conflict?.target.version),
    takeTheirs: () => {
      if (remarks.conflict === null) return;
      setSaved(remarks.conflict);
      setDraft(draftOf(remarks.conflict.target));
      setRemarks(nothing);
    },
    undo: () => change(() => pristine),
    move: async (name) => {
      const before = name === 'validate' && isDirty ? await saveOn(saved?.target.version) : saved;
      if (before === null) return null;
      const { id, version } = before.target;
      return perform(name, () => calls[name](id, version), name !== 'validate' && isDirty);
    },
    restoreVersion: async (version) => {
      if (saved === null) return null;
      const { id } = saved.target;
      const params = { id, version: String(version) };
      const options = { ifMatch: saved.target.version };
      return perform(
        'restore-version',
        () => call('POST /api/v1/queries/{id}/versions/{version}/restore', { params }, options),
        false,
      );
    },
  };
}

interface Moved {
  readonly id: string;
  readonly warnings?: readonly string[] | undefined;
}
type Call = (id: string, ifMatch: number) => Promise<Moved>;

const calls: Readonly<Record<MoveName, Call>> = {
  validate: (id, ifMatch) => call('POST /api/v1/queries/{id}/validate', { params: { id } }, { ifMatch }),
  activate: (id, ifMatch) => call('POST /api/v1/queries/{id}/activate', { params: { id } }, { ifMatch }),
  deactivate: (id, ifMatch) => call('POST /api/v1/queries/{id}/deactivate', { params: { id } }, { ifMatch }),
  void: (id, ifMatch) => call('POST /api/v1/queries/{id}/void', { params: { id } }, { ifMatch }),
  discard: async (id, ifMatch) => {
    await call('DELETE /api/v1/queries/{id}/draft', { params: { id } }, { ifMatch });
    return { id };
  },
  restore: (id, ifMatch) => call('POST /api/v1/queries/{id}/restore', { params: { id } }, { ifMatch }),
};

const onlyOne = (databases: readonly Database[]): string => (databases.length === 1 ? (databases[0]?.name ?? '') : '');
