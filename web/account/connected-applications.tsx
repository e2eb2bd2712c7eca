import { Stack, Text } from '@mantine/core';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ConnectedApplication } from '../app/api-types.ts';
import { problemOf } from '../app/problem.ts';
import { confirm } from '../components/confirm.tsx';
import { actionsColumn, type Column, DataTable } from '../components/lists/data-table.tsx';
import { RowButton } from '../components/lists/row-button.tsx';
import { type ListPage, useList } from '../components/lists/use-list.ts';
import { Time } from '../components/time.tsx';
import { toast, toastProblem } from '../components/toast.ts';
import { VerificationBadge } from '../connect/verification-badge.tsx';
import { daysLeftText } from './key-lifetime.ts';

export interface ConnectedApplicationsProps {
  readonly queryKey: QueryKey;
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<ConnectedApplication>>;
  readonly end: (id: string) => Promise<unknown>;
  readonly empty: ReactNode; // an EmptyState
}

/** The applications that may call for a user, with a button that ends the access of each. */
export function ConnectedApplications({ queryKey, read, end, empty }: ConnectedApplicationsProps) {
  const queryClient = useQueryClient();
  const list = useList(queryKey, read);
  const askAndEnd = async ({ id, name }: ConnectedApplication) => {
    const agreed = await confirm({
      title: 'End access?',
      message: (
        <>
          “<bdi>{name}</bdi>” loses access immediately. It keeps what it has read. To use it again, connect it again.
        </>
      ),
      action: 'End access',
    });
    if (!agreed) return;
    try {
      await end(id);
      toast('The access has ended.');
    } catch (error) {
      if (problemOf(error).status === 404) toast('The access had already ended.');
      else toastProblem(error);
    }
    await queryClient.invalidateQueries({ queryKey });
  };
  return (
    <DataTable
      label="Connected applications"
      list={list}
      columns={[
        ...columns,
        actionsColumn((application: ConnectedApplication) => (
          <RowButton action="End access" of={`of ${application.name}`} danger onClick={() => void askAndEnd(application)} />
        )),
      ]}
      rowKey={({ id }) => id}
      minWidth={700}
      empty={empty}
    />
  );
}

const columns: readonly Column<ConnectedApplication>[] = [
  {
    header: 'Application',
    render: (application) => (
      <Stack gap={4} align="flex-start">
        {/* untrusted text: isolated, and clipped so that stacked marks do not overlap other lines */}
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere', overflow: 'hidden' }}>
          <bdi>{application.name}</bdi>
        </Text>
        <VerificationBadge application={application} />
      </Stack>
    ),
  },
  { header: 'Queries', render: (application) => <Scope application={application} /> },
  { header: 'Connected', render: ({ createdAt }) => <Time at={createdAt} /> },
  { header: 'Last used', render: ({ lastUsedAt }) => <Time at={lastUsedAt} as="relative" /> },
  {
    header: 'Expires',
    render: ({ expiresAt }) => (
      <Stack gap={0}>
        <Text size="sm" component="span">
          <Time at={expiresAt} />
        </Text>
        <Text size="xs" c="dimmed" component="span">
          {daysLeftText(expiresAt, Date.now())}
        </Text>
      </Stack>
    ),
  },
];

function Scope({ application: { queries, managed } }: { readonly application: ConnectedApplication }) {
  const names = queries?.join(', ') ?? '';
  return (
    <Stack gap={0}>
      <Text size="sm">{queries === null ? 'All queries' : `${queries.length.toLocaleString('en')} chosen`}</Text>
      {names !== '' && (
        <Text size="xs" c="dimmed" lineClamp={2} title={names} style={{ overflowWrap: 'anywhere' }}>
          {names}
        </Text>
      )}
      {managed && (
        <Text size="xs" c="dimmed">
          Allowed by the company’s sign-in
        </Text>
      )}
    </Stack>
  );
}
