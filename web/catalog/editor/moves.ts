import type { Query } from '../../app/wire.ts';
import type { Confirmation } from '../../components/confirm.tsx';

const moveNames = ['validate', 'activate', 'deactivate', 'void', 'restore', 'discard'] as const;
export type MoveName = (typeof moveNames)[number];

/** A step of the lifecycle that is open now. */
export interface OpenMove {
  readonly name: MoveName;
  readonly label: string;
  readonly what: string; // it will do
  readonly confirmation: Confirmation | null; // where callers notice it
  readonly isBlocked: boolean; // by changes that are not saved
}

/** `query` is the version that callers see. */
export function openMoves(query: Query, isDirty: boolean): readonly OpenMove[] {
  const isOpen: Readonly<Record<MoveName, boolean>> = {
    validate: query.canValidate || (isDirty && query.canEdit), // saving makes a draft, which can be validated
    activate: query.canActivate,
    deactivate: query.canDeactivate,
    void: query.canVoid,
    restore: query.canRestore,
    discard: query.canDiscardDraft,
  };
  return moveNames.filter((name) => isOpen[name]).map((name) => ({ name, ...described[name](query, isDirty) }));
}

/** Who sees what, in one sentence. */
export function stateText({ status, version, draft }: Query): string {
  if (draft !== null && status === 'Active') {
    return `Callers keep version ${version} until you activate version ${draft.version}.`;
  }
  if (draft !== null) return `Version ${draft.version} waits beside version ${version}.`;
  return { ...stateTexts, Active: `Callers run version ${version}.` }[status];
}

const stateTexts = {
  Draft: 'Nobody can run it yet.',
  Validated: 'Ready. Nobody can run it until it is activated.',
  Inactive: 'Callers cannot run it now.',
  Void: 'Put away. Restore it to change or run it.',
};

const described: Readonly<Record<MoveName, (query: Query, isDirty: boolean) => Omit<OpenMove, 'name'>>> = {
  validate: (_, isDirty) => ({
    label: 'Validate',
    what: `${isDirty ? 'Saves your changes, then prepares' : 'Prepares'} the SQL on its database and finds the columns. Callers notice nothing.`,
    confirmation: null,
    isBlocked: false,
  }),
  activate: (query, isDirty) => {
    const what = activationText(query);
    return {
      label: 'Activate',
      what,
      confirmation: { title: `Activate “${query.name}”?`, message: what, action: 'Activate', danger: false },
      isBlocked: isDirty,
    };
  },
  deactivate: ({ name }) => {
    const what = 'From now on callers are refused, and charts that are embedded show no data. It can be activated again.';
    return {
      label: 'Deactivate',
      what,
      confirmation: { title: `Deactivate “${name}”?`, message: what, action: 'Deactivate' },
      isBlocked: false,
    };
  },
  void: ({ name, draft }, isDirty) => {
    const lost = draft === null ? '' : ` Version ${draft.version}, which waits beside it, is dropped.`;
    const what = `Puts it away: nobody can run or change it until it is restored.${lost}`;
    return {
      label: 'Void',
      what,
      confirmation: { title: `Void “${name}”?`, message: what, action: 'Void' },
      isBlocked: isDirty,
    };
  },
  discard: ({ version, draft }, isDirty) => {
    const what = `Version ${draft?.version} no longer waits beside version ${version}. It stays among the versions, where it can be restored.`;
    return {
      label: 'Discard draft',
      what,
      confirmation: { title: `Discard version ${draft?.version}?`, message: what, action: 'Discard' },
      isBlocked: isDirty,
    };
  },
  restore: () => ({ label: 'Restore', what: 'Takes it back as a Draft.', confirmation: null, isBlocked: false }),
};

function activationText({ status, version, draft, queryName }: Query): string {
  if (draft !== null && status === 'Active') {
    return `From now on callers get version ${draft.version} instead of version ${version}.`;
  }
  const text = `From now on callers can run version ${draft?.version ?? version}.`;
  return status === 'Validated' ? `${text} Its technical name stays ${queryName} for good.` : text;
}
