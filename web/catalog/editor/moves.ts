import { allowedMoves } from '../../../src/catalog/lifecycle-moves.ts';
import type { Permission, Query } from '../../app/wire.ts';
import type { Confirmation } from '../../components/confirm.tsx';

export type MoveName = 'validate' | 'activate' | 'deactivate' | 'void' | 'restore' | 'discard';

/** A step of the lifecycle that is open now. */
export interface OpenMove {
  readonly name: MoveName;
  readonly label: string;
  readonly what: string; // it will do
  readonly confirmation: Confirmation | null; // where callers notice it
  readonly isBlocked: boolean; // by changes that are not saved
}

/** `query` is what callers see, with its draft beside it. */
export function openMoves(query: Query, isDirty: boolean, can: (permission: Permission) => boolean): readonly OpenMove[] {
  const allowed = allowedMoves(query);
  // saving makes a draft of whatever it is, and that can be validated
  const mayValidate = allowed.includes('validated') || (isDirty && allowed.includes('edited'));
  const names: readonly MoveName[] = [
    ...(can('queries.author') && mayValidate ? (['validate'] as const) : []),
    ...(can('queries.publish') ? publishing.filter(([, done]) => allowed.includes(done)).map(([name]) => name) : []),
    ...(can('queries.author') && query.draft !== null ? (['discard'] as const) : []),
  ];
  return names.map((name) => ({ name, ...described[name](query, isDirty) }));
}

/** Who sees what, in one sentence. */
export function standingText({ status, version, draft }: Query): string {
  if (draft !== null && status === 'Active') {
    return `Callers keep version ${version} until you activate version ${draft.version}.`;
  }
  if (draft !== null) return `Version ${draft.version} waits beside version ${version}.`;
  return { ...standings, Active: `Callers run version ${version}.` }[status];
}

const standings = {
  Draft: 'Nobody can run it yet.',
  Validated: 'Ready. Nobody can run it until it is activated.',
  Inactive: 'Callers cannot run it now.',
  Void: 'Put away. Restore it to change or run it.',
};

const publishing = [
  ['activate', 'activated'],
  ['deactivate', 'deactivated'],
  ['void', 'voided'],
  ['restore', 'restored'],
] as const;

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
