import { List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { QueryCaller, QueryChanges } from '../../../app/api-types.ts';
import { type Column, DataTable } from '../../../components/lists/data-table.tsx';
import { wholeList } from '../../../components/lists/use-list.ts';
import { Time } from '../../../components/time.tsx';
import { callersText, groupDependants, moreText, viaText } from './affected-texts.ts';

export interface AffectedProps extends Pick<
  QueryChanges,
  'callers' | 'moreCallers' | 'callersSince' | 'dependants' | 'moreDependants'
> {
  readonly of: 'query' | 'version';
}

/** Who received rows of a query, and what depends on it. */
export function Affected({ of, callers, moreCallers, callersSince, dependants, moreDependants }: AffectedProps) {
  const [shown, setShown] = useState(FEW);
  const groups = groupDependants(dependants);
  return (
    <Stack gap="sm">
      <Text size="sm">
        {callersText({ callers, moreCallers, callersSince }, Date.now(), of)}
        {callers.length > 0 && ' Which columns they read is not known.'}
        {groups.length > 0 && ` ${groups.map(({ title }) => title).join(', ')}.`}
      </Text>
      {callers.length > 0 && (
        <DataTable
          label="Callers"
          list={{
            ...wholeList(callers.slice(0, shown)),
            hasMore: callers.length > shown,
            loadMore: () => setShown(shown * 10),
          }}
          columns={columns}
          rowKey={({ user, apiKey, application, channel, version }) =>
            JSON.stringify([user, apiKey, application, channel, version])
          }
          empty={null}
          minWidth={520}
        />
      )}
      {moreCallers > 0 && <Text size="sm">{moreText(moreCallers)}</Text>}
      {groups.map(({ title, names }) => (
        <Stack key={title} gap={4}>
          <Text size="sm">{title}:</Text>
          <List size="sm" style={{ overflowWrap: 'anywhere' }}>
            {names.slice(0, FEW).map((name, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- two may have the same name
              <List.Item key={index}>{name}</List.Item>
            ))}
            {names.length > FEW && <List.Item>{`${(names.length - FEW).toLocaleString('en')} more`}</List.Item>}
          </List>
        </Stack>
      ))}
      {moreDependants > 0 && <Text size="sm">{moreText(moreDependants)}</Text>}
    </Stack>
  );
}

const FEW = 5; // shown at first

const columns: readonly Column<QueryCaller>[] = [
  {
    header: 'User',
    render: ({ user, kind, viewers }) => (
      <Stack gap={0}>
        <span style={{ overflowWrap: 'anywhere' }}>{user}</span>
        {kind === 'application' && (
          <Text size="xs" c="dimmed" component="span">
            {viewers === undefined ? 'Application' : `Application, for ${viewers.toLocaleString('en')} viewers`}
          </Text>
        )}
      </Stack>
    ),
  },
  { header: 'Key or application', render: (caller) => <span style={{ overflowWrap: 'anywhere' }}>{viaText(caller)}</span> },
  { header: 'Channel', render: ({ channel }) => channel },
  { header: 'Version', align: 'right', render: ({ version }) => <span className="tabular">{version}</span> },
  { header: 'Calls', align: 'right', render: ({ calls }) => <span className="tabular">{calls.toLocaleString('en')}</span> },
  { header: 'Last call', render: ({ lastAt }) => <Time at={lastAt} as="relative" /> },
];
