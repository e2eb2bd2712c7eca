import { Code, Stack } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../app/api.ts';
import { problemOf } from '../app/problem.ts';
import { useSession } from '../app/session.tsx';
import type { Execution } from '../app/wire.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconActivity } from '../components/icons.tsx';
import { actionsColumn, type Column, DataTable } from '../components/lists/data-table.tsx';
import { RowButton } from '../components/lists/row-button.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { wholeList } from '../components/lists/use-list.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Elapsed } from '../components/run/elapsed.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { toast, toastProblem } from '../components/toast.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import { Caller, WithNote } from './caller.tsx';

const READ_EVERY_MS = 2000;
const MAX_SHOWN = 1000;

/** The queries that are running on all replicas, with a Cancel button. */
export function ExecutionsPage() {
  const { session } = useSession();
  const queryClient = useQueryClient();
  const [{ search = '' }] = useSearchParams();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['executions', 'list', search],
    queryFn: ({ signal }) => call('GET /api/v1/executions', { query: { search, limit: MAX_SHOWN } }, { signal }),
    refetchInterval: READ_EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const cancel = async ({ id, query }: Execution) => {
    try {
      await call('DELETE /api/v1/executions/{id}', { params: { id } });
      toast(`${query} was cancelled.`);
    } catch (problem) {
      if (problemOf(problem).status === 404) toast(`${query} had already finished.`);
      else toastProblem(problem);
    }
    await queryClient.invalidateQueries({ queryKey: ['executions'] });
  };
  const isEveryone = session.canManageExecutions;
  return (
    <>
      <PageHeader
        title="Running now"
        description={isEveryone ? 'Queries of all users that are running now.' : 'Your queries that are running now.'}
        actions={<CurlButton operation="GET /api/v1/executions" parts={{ query: { search } }} />}
      />
      <Stack gap="sm">
        <SearchField label="Search running queries" />
        <DataTable
          label="Running queries"
          list={{ ...wholeList(data?.items ?? []), error, isLoading: isPending, refetch: () => void refetch() }}
          columns={columnsFor(isEveryone, (execution) => void cancel(execution))}
          rowKey={({ id }) => id}
          minWidth={720}
          empty={
            <EmptyState title={search === '' ? 'No queries are running' : `Nothing found for “${search}”`} icon={IconActivity}>
              This list updates automatically.
            </EmptyState>
          }
        />
      </Stack>
    </>
  );
}

const userOf = ({ user, kind, viewer }: Execution) => (
  <Caller kind={kind} viewer={viewer}>
    {user}
  </Caller>
);

/** The channel, and the AI application that the user signed in from. */
const channelOf = ({ channel, application }: Execution) => (
  <WithNote note={application !== null && <bdi>{application}</bdi>}>{channel}</WithNote>
);

const columnsFor = (isEveryone: boolean, onCancel: (execution: Execution) => void): readonly Column<Execution>[] => [
  { header: 'Query', render: ({ query }) => <Code style={{ overflowWrap: 'anywhere' }}>{query}</Code> },
  ...(isEveryone ? [{ header: 'User', render: userOf }] : []),
  { header: 'Channel', render: channelOf },
  { header: 'Running for', render: ({ startedAt }) => <Elapsed since={Date.parse(startedAt)} /> },
  { header: 'Rows', align: 'right', render: ({ rows }) => <span className="tabular">{rows.toLocaleString('en')}</span> },
  { header: 'State', render: ({ state }) => <State state={state} /> },
  actionsColumn(
    (execution) =>
      execution.state !== 'cancelling' && (
        <RowButton action="Cancel" of={`${execution.query} of ${execution.user}`} danger onClick={() => onCancel(execution)} />
      ),
  ),
];

const stateNotes: Readonly<Record<Execution['state'], string>> = {
  waiting: 'for a slot',
  running: 'in the database',
  draining: 'storing further pages',
  cancelling: '',
};

const State = ({ state }: Pick<Execution, 'state'>) => (
  <WithNote note={stateNotes[state]}>
    <StatusBadge status={state} />
  </WithNote>
);
