import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ConnectedApplications } from '../../account/connected-applications.tsx';
import { call } from '../../app/api.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconPlugConnected } from '../../components/icons.tsx';

/** The AI applications that another user connected. User managers can end their access. */
export function UserApplications({ id }: { readonly id: string }) {
  const { data: user } = useQuery({
    queryKey: ['users', 'one', id],
    queryFn: ({ signal }) => call('GET /api/v1/users/{id}', { params: { id } }, { signal }),
  });
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        AI applications that <b>{user?.username ?? ''}</b> connected. They run queries with the user’s permissions.
      </Text>
      <ConnectedApplications
        queryKey={['applications', id]}
        read={(cursor, signal) => call('GET /api/v1/users/{id}/applications', { params: { id }, query: { cursor } }, { signal })}
        end={(applicationId) => call('DELETE /api/v1/users/{id}/applications/{applicationId}', { params: { id, applicationId } })}
        empty={<EmptyState title="No applications are connected" icon={IconPlugConnected} />}
      />
    </Stack>
  );
}
