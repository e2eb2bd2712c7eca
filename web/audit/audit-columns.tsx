import { Button, Stack, Text } from '@mantine/core';
import type { AuditEntry } from '../app/wire.ts';
import type { Column } from '../components/lists/data-table.tsx';
import { durationText } from '../components/run/elapsed.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { TechnicalName } from '../components/technical-name.tsx';
import { Time } from '../components/time.tsx';
import { targetText } from './audit-target.ts';
import { Caller, WithNote } from './caller.tsx';

export const auditColumns = (onDetails: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] => [
  { header: 'When', render: ({ at }) => <When at={at} /> },
  {
    header: 'User',
    render: ({ user, kind, viewer }) => (
      <Caller kind={kind} viewer={viewer}>
        <Name text={user} none="Nobody" />
      </Caller>
    ),
  },
  {
    header: 'Key or application',
    render: ({ apiKey, application }) => <KeyOrApplication apiKey={apiKey} application={application} />,
  },
  { header: 'Query or target', render: (entry) => <What entry={entry} />, width: 260 },
  { header: 'Channel', render: ({ channel }) => channel },
  {
    header: 'Rows',
    align: 'right',
    render: ({ rows }) => rows !== null && <span className="tabular">{rows.toLocaleString('en')}</span>,
  },
  {
    header: 'Duration',
    align: 'right',
    render: ({ durationMs }) => (
      <Text span size="sm" className="tabular" style={{ whiteSpace: 'nowrap' }}>
        {durationText(durationMs)}
      </Text>
    ),
  },
  { header: 'Outcome', render: (entry) => <Outcome entry={entry} /> },
  {
    header: 'Details',
    headerHidden: true,
    align: 'right',
    width: 96,
    render: (entry) => (
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={`Details of ${entry.action} ${entry.query ?? targetText(entry) ?? ''} ${entry.requestId}`}
        onClick={() => onDetails(entry)}
      >
        Details
      </Button>
    ),
  },
];

const When = ({ at }: Pick<AuditEntry, 'at'>) => (
  <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
    <Time at={at} as="full" />
  </Text>
);

const Name = ({ text, none }: { readonly text: string | null; readonly none: string }) => (
  <Text
    size="sm"
    c={text === null ? 'dimmed' : ''}
    miw={72}
    lineClamp={2}
    title={text ?? ''}
    style={{ overflowWrap: 'anywhere' }}
  >
    <bdi>{text ?? none}</bdi>
  </Text>
);

/** The name of the key, or of the AI application that the user signed in from. */
function KeyOrApplication({ apiKey, application }: Pick<AuditEntry, 'apiKey' | 'application'>) {
  if (application === null) return apiKey !== null && <Name text={apiKey} none="" />;
  return (
    <WithNote note="signed in">
      <Name text={application} none="" />
    </WithNote>
  );
}

/** The outcome, with the error code that the caller received. */
const Outcome = ({ entry: { outcome, error } }: { readonly entry: AuditEntry }) => (
  <WithNote note={error ?? false}>
    <StatusBadge status={outcome} />
  </WithNote>
);

/** The query or other target, and what was done with it. */
function What({ entry }: { readonly entry: AuditEntry }) {
  const { query, action } = entry;
  const target = query === null ? targetText(entry) : null;
  return (
    <Stack gap={2} align="flex-start">
      {query !== null && <TechnicalName>{query}</TechnicalName>}
      {target !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {target}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {action}
      </Text>
    </Stack>
  );
}
