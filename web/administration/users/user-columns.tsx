import { Badge, Group, Stack, Text } from '@mantine/core';
import type { Session, User } from '../../app/wire.ts';
import { actionsColumn, type Column } from '../../components/lists/data-table.tsx';
import { RowButton } from '../../components/lists/row-button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';

export interface UserColumnsOptions {
  readonly session: Session;
  readonly onEdit: (user: User) => void;
  readonly onKeys: (user: User) => void;
  readonly onApplications: (user: User) => void;
  readonly onDelete: (user: User) => void;
}

export function userColumns({ session, onEdit, onKeys, onApplications, onDelete }: UserColumnsOptions): readonly Column<User>[] {
  return [
    { header: 'User', render: (user) => <Who user={user} isMe={user.id === session.id} /> },
    { header: 'Roles', render: ({ roles: held }) => <Names names={held} none="None: no permissions" />, width: 200 },
    {
      header: 'Databases',
      width: 160,
      render: ({ databases }) =>
        databases.includes('*') ? <Text size="sm">All</Text> : <Names names={databases} none="None: sees no data" />,
    },
    { header: 'Expires', render: ({ expiresAt }) => <Time at={expiresAt} /> },
    { header: 'State', render: (user) => <StatusBadge status={stateOf(user)} /> },
    actionsColumn(
      (user) =>
        user.canEdit && (
          <Group gap={0} wrap="nowrap" justify="flex-end">
            <RowButton action="Edit" of={user.username} onClick={() => onEdit(user)} />
            <RowButton action="Keys" of={`of ${user.username}`} onClick={() => onKeys(user)} />
            {session.oauth && user.kind === 'person' && (
              <RowButton action="Applications" of={`of ${user.username}`} onClick={() => onApplications(user)} />
            )}
            {user.canDelete && <RowButton action="Delete" of={user.username} danger onClick={() => onDelete(user)} />}
          </Group>
        ),
    ),
  ];
}

function Who({
  user: { kind, owner, username, fullName, email, external },
  isMe,
}: {
  readonly user: User;
  readonly isMe: boolean;
}) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {username}
        {isMe && (
          <Text span size="sm" c="dimmed" fw={400}>
            {' '}
            (you)
          </Text>
        )}
      </Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {[
          kind === 'application' ? `Application${owner === null ? '' : ` of ${owner}`}` : '',
          fullName,
          email,
          external ? 'signs in through the company' : '',
        ]
          .filter((text) => text !== '')
          .join(' · ')}
      </Text>
    </Stack>
  );
}

const MAX_NAMES = 4;

function Names({ names, none }: { readonly names: readonly string[]; readonly none: string }) {
  if (names.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  return (
    <Group gap={6}>
      {names.slice(0, MAX_NAMES).map((name) => (
        <Badge key={name} variant="light" color="gray" tt="none">
          {name}
        </Badge>
      ))}
      {names.length > MAX_NAMES && (
        <Text size="xs" c="dimmed">
          and {names.length - MAX_NAMES} more
        </Text>
      )}
    </Group>
  );
}

function stateOf({ disabled, expiresAt }: User): string {
  if (disabled) return 'disabled';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}
