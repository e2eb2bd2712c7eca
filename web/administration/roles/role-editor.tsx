import { Checkbox, Code, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../app/api.ts';
import { sessionQuery, useSession } from '../../app/session.tsx';
import type { Permission, Role } from '../../app/wire.ts';
import { useSaving } from '../../components/fields/use-saving.ts';
import { toast } from '../../components/toast.ts';
import type { DrawerContent } from '../edit-drawer.tsx';
import { EditForm } from '../edit-form.tsx';
import { EditedRecord } from '../edited-record.tsx';
import { allPermissions, permissionTexts } from '../permission-texts.ts';
import { RoleView } from './role-view.tsx';

/** Edits an existing or a new role. */
export const RoleEditor = ({ recordId: id, ...content }: { readonly recordId: string } & DrawerContent) => (
  <EditedRecord list="roles" id={id} read={(signal) => call('GET /api/v1/roles/{id}', { params: { id } }, { signal })}>
    {(saved, reload) => <RoleForm saved={saved} onReload={reload} {...content} />}
  </EditedRecord>
);

interface RoleFormProps extends DrawerContent {
  readonly saved: Role | null; // null: a new role
  readonly onReload: () => void;
}

function RoleForm({ saved: role, onReload, close, onDirty }: RoleFormProps) {
  const { can } = useSession();
  const queryClient = useQueryClient();
  const form = useForm<{ name: string; permissions: Permission[] }>({
    initialValues: { name: role?.name ?? '', permissions: [...(role?.permissions ?? [])] },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name for the role.' : null) },
  });
  const { isBusy, problem, perform } = useSaving(form, {
    rename: (field) => field.replace(/^permissions\.\d+$/, 'permissions'),
  });
  const isDirty = form.isDirty();
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  const submit = form.onSubmit(async ({ name, permissions }) => {
    const body = { name: name.trim(), permissions };
    const stored = await perform(() =>
      role === null
        ? call('POST /api/v1/roles', { body })
        : call('PATCH /api/v1/roles/{id}', { params: { id: role.id }, body }, { ifMatch: role.version }),
    );
    if (stored === undefined) return;
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }); // it may be one of the user's own roles
    void queryClient.invalidateQueries({ queryKey: ['users'] }); // it may change what the user may do with others
    await queryClient.invalidateQueries({ queryKey: ['roles'] });
    toast(role === null ? `Created the role “${stored.name}”.` : `Saved the role “${stored.name}”.`);
    close();
  });
  if (role !== null && role.canEdit !== true) return <RoleView role={role} />;
  return (
    <EditForm
      label="Role"
      onSubmit={submit}
      onCancel={close}
      isSaving={isBusy}
      problem={problem}
      onReload={onReload}
      submit={role === null ? 'Create role' : 'Save'}
    >
      <TextInput label="Name" withAsterisk data-autofocus {...form.getInputProps('name')} />
      <Checkbox.Group
        label="Permissions"
        description={`What users with this role are allowed to do.${role === null ? '' : ' Changes apply to all of them immediately.'}`}
        {...form.getInputProps('permissions')}
      >
        <Stack gap="sm" mt="sm">
          {allPermissions.map((permission) => (
            <Checkbox
              key={permission}
              value={permission}
              label={<Code>{permission}</Code>}
              description={permissionTexts[permission]}
              disabled={!can(permission)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {allPermissions.some((permission) => !can(permission)) && (
        <Text size="sm" c="dimmed">
          You can grant only permissions that you have.
        </Text>
      )}
    </EditForm>
  );
}
