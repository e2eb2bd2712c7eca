import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { lazyRouteComponent } from '@tanstack/react-router';
import { call } from '../app/api.ts';
import type { Role } from '../app/wire.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconPlus, IconShieldHalf } from '../components/icons.tsx';
import { actionsColumn, type Column, DataTable } from '../components/lists/data-table.tsx';
import { RowButton } from '../components/lists/row-button.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { useList } from '../components/lists/use-list.ts';
import { useRemove } from '../components/lists/use-remove.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { EditDrawer } from './edit-drawer.tsx';
import { NeedsPermission } from './needs-permission.tsx';
import { preloadOnIntent } from './preload-on-intent.ts';

const RoleEditor = lazyRouteComponent(() => import('./roles/role-editor.tsx'), 'RoleEditor');

export function RolesPage() {
  return (
    <NeedsPermission permission="users.manage" title="Roles">
      <Roles />
    </NeedsPermission>
  );
}

function Roles() {
  const [{ search = '', edit }, setFilters] = useSearchParams();
  const list = useList(['roles', 'list', search], (cursor, signal) =>
    call('GET /api/v1/roles', { query: { search, cursor } }, { signal }),
  );
  const { remove, refusal } = useRemove('roles');
  const deleteRole = ({ id, name, version }: Role) =>
    remove({
      name,
      message: 'You can delete a role only if no user has it and no query names it.',
      work: () => call('DELETE /api/v1/roles/{id}', { params: { id } }, { ifMatch: version }),
    });
  return (
    <>
      <PageHeader
        title="Roles"
        description="What users are allowed to do. Users without a role have no permissions."
        actions={
          <>
            <CurlButton operation="GET /api/v1/roles" parts={{ query: { search } }} />
            <Button
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => setFilters({ edit: 'new' })}
              {...preloadOnIntent(RoleEditor)}
            >
              New role
            </Button>
          </>
        }
      />
      <Stack gap="sm" {...preloadOnIntent(RoleEditor)}>
        <SearchField label="Search roles" />
        <ProblemAlert {...refusal} />
        <DataTable
          label="Roles"
          list={list}
          columns={columnsFor((role) => setFilters({ edit: role.id }), deleteRole)}
          rowKey={({ id }) => id}
          empty={<EmptyState title={search === '' ? 'No roles' : `Nothing found for “${search}”`} icon={IconShieldHalf} />}
        />
      </Stack>
      <EditDrawer
        recordId={edit ?? null}
        title={(recordId) => (recordId === 'new' ? 'New role' : 'Role')}
        onClose={() => setFilters({ edit: undefined })}
      >
        {(recordId, content) => <RoleEditor recordId={recordId} {...content} />}
      </EditDrawer>
    </>
  );
}

const columnsFor = (onEdit: (role: Role) => void, onDelete: (role: Role) => Promise<void>): readonly Column<Role>[] => [
  {
    header: 'Role',
    width: 220,
    render: ({ name, builtIn }) => (
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        {builtIn === true && (
          <Badge variant="light" color="gray">
            Built-in
          </Badge>
        )}
      </Group>
    ),
  },
  { header: 'Permissions', render: ({ permissions = [] }) => <Permissions permissions={permissions} /> },
  actionsColumn((role) => {
    const isChangeable = role.canEdit === true;
    return (
      <Group gap={0} wrap="nowrap" justify="flex-end">
        <RowButton action={isChangeable ? 'Edit' : 'View'} of={role.name} onClick={() => onEdit(role)} />
        {isChangeable && <RowButton action="Delete" of={role.name} danger onClick={() => void onDelete(role)} />}
      </Group>
    );
  }),
];

function Permissions({ permissions }: { readonly permissions: readonly string[] }) {
  if (permissions.length === 0)
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    );
  return (
    <Group gap={6}>
      {permissions.map((permission) => (
        <Badge key={permission} color="gray">
          {permission}
        </Badge>
      ))}
    </Group>
  );
}
