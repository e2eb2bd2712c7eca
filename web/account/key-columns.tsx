import { Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiKey } from '../app/wire.ts';
import { KeyUse } from '../components/key-use.tsx';
import { actionsColumn, type Column } from '../components/lists/data-table.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { Time } from '../components/time.tsx';
import { daysLeftText } from './key-lifetime.ts';

/** The columns of API keys; `actions` are the buttons of an active one. */
export const keyColumns = (actions: (key: ApiKey) => ReactNode): readonly Column<ApiKey>[] => [
  { header: 'Name', render: (key) => <Name apiKey={key} /> },
  { header: 'Prefix', render: ({ prefix }) => <Code>{prefix}…</Code> },
  { header: 'Created', render: ({ createdAt }) => <Time at={createdAt} /> },
  { header: 'Last used', render: ({ lastUsedAt }) => <Time at={lastUsedAt} as="relative" /> },
  { header: 'Today', render: (key) => <KeyUse apiKey={key} /> },
  { header: 'Expires', render: (key) => <Expiry apiKey={key} /> },
  { header: 'State', render: ({ state }) => <StatusBadge status={state} /> },
  actionsColumn(
    (key) =>
      key.state === 'active' && (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {actions(key)}
        </Group>
      ),
  ),
];

function Expiry({ apiKey: { expiresAt, state } }: { readonly apiKey: ApiKey }) {
  if (state === 'revoked') return '—'; // no longer relevant
  return (
    <Stack gap={0}>
      <Text size="sm" component="span">
        <Time at={expiresAt} />
      </Text>
      {expiresAt !== null && state === 'active' && (
        <Text size="xs" c="dimmed" component="span">
          {daysLeftText(expiresAt, Date.now())}
        </Text>
      )}
    </Stack>
  );
}

function Name({ apiKey: { name, queries, tools } }: { readonly apiKey: ApiKey }) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      {queries !== null && (
        <Text size="xs" c="dimmed" lineClamp={2} title={queries.join(', ')} style={{ overflowWrap: 'anywhere' }}>
          Only {queries.join(', ')}
        </Text>
      )}
      {tools === 'typed' && (
        <Text size="xs" c="dimmed">
          A tool per query
        </Text>
      )}
    </Stack>
  );
}
