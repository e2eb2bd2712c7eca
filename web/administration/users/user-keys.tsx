import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { keyColumns } from '../../account/key-columns.tsx';
import { NewKeyPanel } from '../../account/new-key-panel.tsx';
import { call } from '../../app/api.ts';
import type { ApiKey, NewKey } from '../../app/wire.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconKey, IconPlus } from '../../components/icons.tsx';
import { DataTable } from '../../components/lists/data-table.tsx';
import { RowButton } from '../../components/lists/row-button.tsx';
import { useList } from '../../components/lists/use-list.ts';
import { useRemove } from '../../components/lists/use-remove.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';

const CreateKeyDialog = lazy(() =>
  import('../../account/create-key-dialog.tsx').then((module) => ({ default: module.CreateKeyDialog })),
);

const ApplicationViewers = lazy(() =>
  import('./application-viewers.tsx').then((module) => ({ default: module.ApplicationViewers })),
);

/** Another user's API keys. User managers can revoke them, and create those of applications; persons create their own. */
export function UserKeys({ id }: { readonly id: string }) {
  const { data: user } = useQuery({
    queryKey: ['users', 'one', id],
    queryFn: ({ signal }) => call('GET /api/v1/users/{id}', { params: { id } }, { signal }),
  });
  const list = useList(['user-keys', id], (cursor, signal) =>
    call('GET /api/v1/users/{id}/api-keys', { params: { id }, query: { cursor } }, { signal }),
  );
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewKey | null>(null);
  const { remove, refusal } = useRemove('user-keys');
  const revoke = ({ id: keyId, name }: ApiKey) =>
    remove({
      name,
      message: 'Programs that use this key lose access immediately. This cannot be undone.',
      action: 'Revoke',
      done: `Revoked “${name}”.`,
      work: () => call('DELETE /api/v1/users/{id}/api-keys/{keyId}', { params: { id, keyId } }),
    });
  const username = user?.username ?? '';
  const revokeAll = () =>
    remove({
      name: `all keys of ${username}`,
      message: 'Programs that use one of these keys lose access immediately. This cannot be undone.',
      action: 'Revoke',
      done: `Revoked all keys of ${username}.`,
      work: () => call('DELETE /api/v1/users/{id}/api-keys', { params: { id } }),
    });
  const isApplication = user?.kind === 'application';
  const hasActive = list.items.some(({ state }) => state === 'active');
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Keys of <b>{username}</b>.{' '}
          {isApplication
            ? 'A key has the permissions of the application.'
            : 'Only the user can create a key. It has the user’s permissions.'}
        </Text>
        <Group gap="xs">
          {isApplication && (
            <Button size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => setCreating(true)}>
              Create key
            </Button>
          )}
          {hasActive && (
            <Button size="xs" variant="light" color="red" onClick={() => void revokeAll()}>
              Revoke all
            </Button>
          )}
        </Group>
      </Group>
      {created !== null && <NewKeyPanel created={created} onDone={() => setCreated(null)} />}
      <ProblemAlert {...refusal} />
      <DataTable
        label="API keys"
        list={list}
        columns={keyColumns((key) => (
          <RowButton action="Revoke" of={key.name} danger onClick={() => void revoke(key)} />
        ))}
        rowKey={({ id: key }) => key}
        empty={<EmptyState title="No API keys" icon={IconKey} />}
        minWidth={760}
      />
      {isApplication && (
        <Suspense>
          <ApplicationViewers id={id} />
        </Suspense>
      )}
      {isCreating && user !== undefined && (
        <Suspense>
          <CreateKeyDialog forAssistant={false} application={user} onCreated={setCreated} onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </Stack>
  );
}
