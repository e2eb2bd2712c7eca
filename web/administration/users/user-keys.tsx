import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { keyColumns } from '../../account/key-columns.tsx';
import { call } from '../../app/api.ts';
import type { ApiKey } from '../../app/wire.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconKey } from '../../components/icons.tsx';
import { DataTable } from '../../components/lists/data-table.tsx';
import { RowButton } from '../../components/lists/row-button.tsx';
import { useList } from '../../components/lists/use-list.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { useRemove } from '../use-remove.ts';

/** Another user's API keys. User managers can revoke them; only the owner can create them. */
export function UserKeys({ id }: { readonly id: string }) {
  const { data: user } = useQuery({
    queryKey: ['users', 'one', id],
    queryFn: ({ signal }) => call('GET /api/v1/users/{id}', { params: { id } }, { signal }),
  });
  const list = useList(['user-keys', id], (cursor, signal) =>
    call('GET /api/v1/users/{id}/api-keys', { params: { id }, query: { cursor } }, { signal }),
  );
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
  const hasActive = list.items.some(({ state }) => state === 'active');
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Keys of <b>{username}</b>. Only the user can create a key. It has the user’s permissions.
        </Text>
        {hasActive && (
          <Button size="xs" variant="light" color="red" onClick={() => void revokeAll()}>
            Revoke all
          </Button>
        )}
      </Group>
      {refusal !== null && <ProblemAlert title={refusal.title} error={refusal.error} />}
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
    </Stack>
  );
}
