import { Button, Code, Drawer, Group, Stack, Table, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AuditEntry } from '../app/wire.ts';
import { bytesText } from '../components/bytes-text.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { durationText } from '../components/run/elapsed.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { Time } from '../components/time.tsx';
import type { SearchParams } from '../components/use-search-params.ts';
import { targetText } from './audit-target.ts';

export interface AuditDetailsProps {
  readonly entry: AuditEntry | null; // null: closed
  readonly onClose: () => void;
  readonly onNarrow: (filters: SearchParams) => void; // filters for entries like this one
}

/** All the fields of an entry. */
export function AuditDetails({ entry, onClose, onNarrow }: AuditDetailsProps) {
  const [last, setLast] = useState(entry);
  if (entry !== null && entry !== last) setLast(entry); // still visible during the closing animation
  return (
    <Drawer
      opened={entry !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title="Audit entry"
      styles={{ title: { fontWeight: 600 } }}
    >
      {last !== null && <Entry entry={last} onNarrow={onNarrow} />}
    </Drawer>
  );
}

function Entry({ entry, onNarrow }: { readonly entry: AuditEntry } & Pick<AuditDetailsProps, 'onNarrow'>) {
  const renderFilterLink = (label: string, filters: SearchParams) => (
    <Button variant="default" size="compact-xs" onClick={() => onNarrow(filters)}>
      {label}
    </Button>
  );
  const renderFound = (what: string, name: string) => (
    <Fact text={name} action={renderFilterLink(`Only this ${what}`, { search: name })} />
  );
  const { at, requestId, user, kind, viewer, application, apiKey, action, query, queryVersion, channel, outcome, status, error } =
    entry;
  const { rows, bytes, durationMs, cached, address, client, parameters } = entry;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['When', <Time key="at" at={at} as="full" />],
    ['User', user === null ? 'Nobody' : <Fact key="user" text={user} action={renderFilterLink('Only this user', { user })} />],
    ['Kind of user', kind ?? 'Unknown'],
    ['Viewer', viewer === null ? 'None' : renderFound('viewer', viewer)],
    ['API key', apiKey ?? 'None'],
    ['Signed in from', application === null ? 'None' : renderFound('application', application)],
    ['Action', <Fact key="action" text={action} isCode action={renderFilterLink('Only this action', { action })} />],
    ['Target', targetText(entry) ?? 'None'],
    [
      'Query',
      query === null ? 'None' : <Fact key="query" text={query} isCode action={renderFilterLink('Only this query', { query })} />,
    ],
    ['Query version', queryVersion ?? 'None'],
    ['Channel', channel],
    [
      'Outcome',
      <Group key="outcome" gap="xs">
        <StatusBadge status={outcome} />
        <span>Status {status}</span>
      </Group>,
    ],
    [
      'Error',
      error === null ? (
        'None'
      ) : (
        <Fact key="error" text={error} isCode action={renderFilterLink('Only this error', { search: error })} />
      ),
    ],
    ['Rows', rows === null ? 'None' : rows.toLocaleString('en')],
    ['Size', bytes === null ? 'None' : bytesText(bytes)],
    ['Duration', durationText(durationMs)],
    ['Cached', cached ? 'Yes: the result of an earlier identical call' : 'No'],
    ['Address', address],
    ['Client', client ?? 'Unknown'],
    [
      'Request id',
      <Group key="id" gap={4}>
        <Code style={{ overflowWrap: 'anywhere' }}>{requestId}</Code>
        <CopyButton value={requestId} label="Copy request id" />
        {renderFilterLink('Only this request', { requestId })}
      </Group>,
    ],
  ];
  return (
    <Stack gap="md">
      <Table variant="vertical" layout="fixed" aria-label="Audit entry">
        <Table.Tbody>
          {facts.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={120} scope="row">
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {query === null ? 'Request' : 'Parameters'}
        </Text>
        {parameters === null || Object.keys(parameters).length === 0 ? (
          <Text size="sm" c="dimmed">
            None
          </Text>
        ) : (
          <Code block tabIndex={0} mah={360} style={{ overflow: 'auto' }}>
            {JSON.stringify(parameters, null, 2)}
          </Code>
        )}
      </Stack>
    </Stack>
  );
}

const Fact = ({
  text,
  action,
  isCode = false,
}: {
  readonly text: string;
  readonly action: ReactNode;
  readonly isCode?: boolean;
}) => (
  <Group gap="xs">
    {isCode ? <Code style={{ overflowWrap: 'anywhere' }}>{text}</Code> : <bdi>{text}</bdi>}
    {action}
  </Group>
);
