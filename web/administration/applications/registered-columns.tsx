import { Code, Group, Stack, Text } from '@mantine/core';
import type { RegisteredApplication } from '../../app/api-types.ts';
import { CopyButton } from '../../components/copy/copy-button.tsx';
import { actionsColumn, type Column } from '../../components/lists/data-table.tsx';
import { RowButton } from '../../components/lists/row-button.tsx';
import { Time } from '../../components/time.tsx';

export const registeredColumns = (
  onDelete: (application: RegisteredApplication) => void,
): readonly Column<RegisteredApplication>[] => [
  {
    header: 'Application',
    render: ({ name, clientId }) => (
      <Stack gap={2} align="flex-start">
        <Text size="sm" fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{clientId}</Code>
          <CopyButton value={clientId} label={`Copy client id of ${name}`} />
        </Group>
      </Stack>
    ),
  },
  { header: 'Redirects to', render: ({ redirectUris }) => <Lines lines={redirectUris} none="Nowhere" />, width: 280 },
  {
    header: 'Kind',
    render: ({ tokenEndpointAuthMethod }) => (tokenEndpointAuthMethod === 'none' ? 'Public' : 'Confidential'),
  },
  { header: 'Managed', render: ({ managed }) => <Managed managed={managed} /> },
  {
    header: 'People',
    align: 'right',
    render: ({ people }) => <span className="tabular">{people.toLocaleString('en')}</span>,
  },
  { header: 'Last used', render: ({ lastUsedAt }) => <Time at={lastUsedAt} as="relative" /> },
  actionsColumn((application) => (
    <RowButton action="Delete" of={application.name} danger onClick={() => onDelete(application)} />
  )),
];

function Managed({ managed }: Pick<RegisteredApplication, 'managed'>) {
  if (managed === true) return 'All queries';
  if (managed === false) return 'Off';
  return <Lines lines={managed} none="" />;
}

const MAX_LINES = 3;

function Lines({ lines, none }: { readonly lines: readonly string[]; readonly none: string }) {
  if (lines.length === 0) return none;
  return (
    <Stack gap={0} title={lines.join('\n')}>
      {lines.slice(0, MAX_LINES).map((line) => (
        <Text key={line} size="xs" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
      {lines.length > MAX_LINES && (
        <Text size="xs" c="dimmed">
          and {lines.length - MAX_LINES} more
        </Text>
      )}
    </Stack>
  );
}
