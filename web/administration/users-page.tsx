import { Button, Stack } from '@mantine/core';
import { lazyRouteComponent } from '@tanstack/react-router';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { User } from '../app/wire.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconPlus, IconUsers } from '../components/icons.tsx';
import { DataTable } from '../components/lists/data-table.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { useList } from '../components/lists/use-list.ts';
import { useRemove } from '../components/lists/use-remove.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { EditDrawer } from './edit-drawer.tsx';
import { NeedsPermission } from './needs-permission.tsx';
import { preloadOnIntent } from './preload-on-intent.ts';
import { UserApplications } from './users/user-applications.tsx';
import { userColumns } from './users/user-columns.tsx';
import { UserKeys } from './users/user-keys.tsx';

const UserEditor = lazyRouteComponent(() => import('./users/user-editor.tsx'), 'UserEditor');

export function UsersPage() {
  return (
    <NeedsPermission permission="users.manage" title="Users">
      <Users />
    </NeedsPermission>
  );
}

function Users() {
  const { session } = useSession();
  const [{ search = '', edit, keys, applications }, setFilters] = useSearchParams();
  const list = useList(['users', 'list', search], (cursor, signal) =>
    call('GET /api/v1/users', { query: { search, cursor } }, { signal }),
  );
  const { remove, refusal } = useRemove('users');
  const deleteUser = ({ id, username, version }: User) =>
    remove({
      name: username,
      message: 'Their API keys, sessions and embeds stop working. The audit trail keeps their name. This cannot be undone.',
      work: () => call('DELETE /api/v1/users/{id}', { params: { id } }, { ifMatch: version }),
    });
  const columns = userColumns({
    session,
    onEdit: ({ id }) => setFilters({ edit: id }),
    onKeys: ({ id }) => setFilters({ keys: id }),
    onApplications: ({ id }) => setFilters({ applications: id }),
    onDelete: (user) => void deleteUser(user),
  });
  return (
    <>
      <PageHeader
        title="Users"
        description="New users see nothing until you give them a role and a database."
        actions={
          <>
            <CurlButton operation="GET /api/v1/users" parts={{ query: { search } }} />
            <Button
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => setFilters({ edit: 'new' })}
              {...preloadOnIntent(UserEditor)}
            >
              New user
            </Button>
          </>
        }
      />
      <Stack gap="sm" {...preloadOnIntent(UserEditor)}>
        <SearchField label="Search users" />
        <ProblemAlert {...refusal} />
        <DataTable
          label="Users"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          minWidth={900}
          empty={<EmptyState title={search === '' ? 'No users' : `Nothing found for “${search}”`} icon={IconUsers} />}
        />
      </Stack>
      <EditDrawer
        recordId={edit ?? null}
        title={(recordId) => (recordId === 'new' ? 'New user' : 'User')}
        onClose={() => setFilters({ edit: undefined })}
      >
        {(recordId, content) => <UserEditor recordId={recordId} {...content} />}
      </EditDrawer>
      <EditDrawer recordId={keys ?? null} title={() => 'API Keys'} onClose={() => setFilters({ keys: undefined })} size="xl">
        {(recordId) => <UserKeys id={recordId} />}
      </EditDrawer>
      <EditDrawer
        recordId={applications ?? null}
        title={() => 'Connected applications'}
        onClose={() => setFilters({ applications: undefined })}
        size="xl"
      >
        {(recordId) => <UserApplications id={recordId} />}
      </EditDrawer>
    </>
  );
}
