import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../app/api.ts';
import { sessionQuery, useSession } from '../../app/session.tsx';
import type { User } from '../../app/wire.ts';
import { useSaving } from '../../components/fields/use-saving.ts';
import { toast } from '../../components/toast.ts';
import type { DrawerContent } from '../edit-drawer.tsx';
import { EditForm } from '../edit-form.tsx';
import { EditedRecord } from '../edited-record.tsx';
import { UserFields } from './user-fields.tsx';
import { canChange, endsSessions, toNewUserBody, type UserValues, toUserChange, toUserValues, withNames } from './user-form.ts';

/** Edits an existing or a new user. */
export const UserEditor = ({ recordId: id, ...content }: { readonly recordId: string } & DrawerContent) => (
  <EditedRecord list="users" id={id} read={(signal) => call('GET /api/v1/users/{id}', { params: { id } }, { signal })}>
    {(saved, reload) => <UserForm saved={saved} onReload={reload} {...content} />}
  </EditedRecord>
);

interface UserFormProps extends DrawerContent {
  readonly saved: User | null; // null: a new user
  readonly onReload: () => void;
}

function UserForm({ saved, onReload, close, onDirty }: UserFormProps) {
  const { session } = useSession();
  const queryClient = useQueryClient();
  const form = useForm<UserValues>({
    initialValues: toUserValues(saved, session.username),
    validate: {
      username: (name) => (name.trim() === '' ? 'Enter a user name.' : null),
      password: (password, { kind }) => (saved === null && kind === 'person' && password === '' ? 'Enter a password.' : null),
      owner: (owner, { kind }) => (kind === 'application' && owner.trim() === '' ? 'Enter a user name.' : null),
    },
  });
  const { isBusy, problem, perform } = useSaving(form, { nameField: 'username' });
  const isDirty = form.isDirty();
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  const submit = form.onSubmit(async (values) => {
    const change = saved === null ? null : toUserChange(saved, values);
    if (change !== null && Object.keys(change).length === 0) return close();
    const stored = await perform(() => send(saved, values).catch((error) => Promise.reject(withNames(error, values))));
    if (stored === undefined) return;
    toast(describeSaved(stored, saved, change !== null && endsSessions(change)));
    close();
    // the user's own account: reload the session, or find that it has ended
    if (stored.id === session.id) await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    await queryClient.invalidateQueries({ queryKey: ['users'] });
  });
  return (
    <EditForm
      label="User"
      onSubmit={submit}
      onCancel={close}
      isSaving={isBusy}
      problem={problem}
      onReload={onReload}
      submit={saved === null ? 'Create user' : 'Save'}
      canSubmit={saved === null || canChange(saved, session.id)}
    >
      <UserFields form={form} saved={saved} />
    </EditForm>
  );
}

const send = (saved: User | null, values: UserValues): Promise<User> =>
  saved === null
    ? call('POST /api/v1/users', { body: toNewUserBody(values) })
    : call(
        'PATCH /api/v1/users/{id}',
        { params: { id: saved.id }, body: toUserChange(saved, values) },
        { ifMatch: saved.version },
      );

function describeSaved({ username, kind }: User, before: User | null, isSignedOut: boolean): string {
  if (before === null)
    return kind === 'application'
      ? `Created the application “${username}”. Its keys are under Keys.`
      : `Created the user “${username}”.`;
  return isSignedOut && kind === 'person' ? `Saved “${username}” and signed them out everywhere.` : `Saved “${username}”.`;
}
