import type { Query } from '../../app/wire.ts';
import type { Confirmation } from '../../components/confirm.tsx';
import type { Unsaved } from './query-draft.ts';

const moveNames = ['validate', 'activate', 'deactivate', 'void', 'restore', 'discard'] as const;
export type MoveName = (typeof moveNames)[number];

/** A lifecycle move that is possible now. */
export interface OpenMove {
  readonly name: MoveName;
  readonly label: string;
  readonly effect: string;
  readonly confirmation: Confirmation | null; // for moves that affect callers
  readonly isBlocked: boolean; // by unsaved changes
}

/** `query` is the version that callers see. */
export function listOpenMoves(query: Query, unsaved: Unsaved): readonly OpenMove[] {
  const isDirty = unsaved !== 'nothing';
  // labels of an Active query apply at once, without a draft; a note needs no validation
  const savingMakesDraft = unsaved === 'definition' || (unsaved === 'labels' && query.status !== 'Active');
  const isOpen: Readonly<Record<MoveName, boolean>> = {
    validate: query.canValidate || (query.canEdit && savingMakesDraft),
    activate: query.canActivate,
    deactivate: query.canDeactivate,
    void: query.canVoid,
    restore: query.canRestore,
    discard: query.canDiscardDraft,
  };
  return moveNames.filter((name) => isOpen[name]).map((name) => ({ name, ...describe[name](query, isDirty) }));
}

/** One sentence on which version callers can run. */
export function stateText({ status, version, draft }: Query): string {
  if (draft !== null && status === 'Active') {
    return `Callers use version ${version} until you activate version ${draft.version}.`;
  }
  if (draft !== null) return `Version ${draft.version} is a draft of version ${version}.`;
  return { ...stateTexts, Active: `Callers use version ${version}.` }[status];
}

const stateTexts = {
  Draft: 'Callers cannot run it yet.',
  Validated: 'Ready. Activate it so that callers can run it.',
  Inactive: 'Callers cannot run it.',
  Void: 'Retired. Restore it to edit or run it.',
};

const describe: Readonly<Record<MoveName, (query: Query, isDirty: boolean) => Omit<OpenMove, 'name'>>> = {
  validate: (_, isDirty) => ({
    label: 'Validate',
    effect: `${isDirty ? 'Saves your changes, then checks' : 'Checks'} the SQL on its database and finds its columns. Callers are not affected.`,
    confirmation: null,
    isBlocked: false,
  }),
  activate: (query, isDirty) => {
    const effect = activationText(query);
    return {
      label: 'Activate',
      effect,
      confirmation: { title: `Activate “${query.name}”?`, message: effect, action: 'Activate', danger: false },
      isBlocked: isDirty,
    };
  },
  deactivate: ({ name }) => {
    const effect = 'Callers can no longer run it, and its embedded charts stop. You can activate it again.';
    return {
      label: 'Deactivate',
      effect,
      confirmation: { title: `Deactivate “${name}”?`, message: effect, action: 'Deactivate' },
      isBlocked: false,
    };
  },
  void: ({ name, draft }, isDirty) => {
    const lost = draft === null ? '' : ` The draft, version ${draft.version}, is discarded.`;
    const effect = `Retires the query: nobody can run or edit it until it is restored.${lost}`;
    return {
      label: 'Void',
      effect,
      confirmation: { title: `Void “${name}”?`, message: effect, action: 'Void' },
      isBlocked: isDirty,
    };
  },
  discard: ({ version, draft }, isDirty) => {
    const effect = `Discards the draft, version ${draft?.version}. Version ${version} stays as it is. You can restore the draft from Versions.`;
    return {
      label: 'Discard draft',
      effect,
      confirmation: { title: `Discard version ${draft?.version}?`, message: effect, action: 'Discard' },
      isBlocked: isDirty,
    };
  },
  restore: () => ({ label: 'Restore', effect: 'Restores it as a Draft.', confirmation: null, isBlocked: false }),
};

function activationText({ status, version, draft, queryName }: Query): string {
  if (draft !== null && status === 'Active') {
    return `Callers will use version ${draft.version} instead of version ${version}.`;
  }
  const text = `Callers will be able to run version ${draft?.version ?? version}.`;
  return status === 'Validated' ? `${text} Its technical name, ${queryName}, can then no longer change.` : text;
}
