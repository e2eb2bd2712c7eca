import { Button, Paper, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { call } from '../app/api.ts';
import { problemOf } from '../app/problem.ts';
import { useSession } from '../app/session.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconLock } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { loadQuery } from './editor/load-query.ts';
import { copyOf } from './editor/query-draft.ts';
import { QueryEditor } from './editor/query-editor.tsx';

const MAX_DATABASES = 1000;

/** Edits an existing or a new query. */
export function QueryEditorPage() {
  const { id } = useParams({ strict: false });
  const [{ copy }] = useSearchParams();
  const source = id ?? copy; // a copy is a new query with the content of another one
  const { can, canManageQueries } = useSession();
  const mayOpen = id === undefined ? can('queries.author') : canManageQueries;
  const databases = useQuery({
    queryKey: ['databases', 'names'],
    queryFn: ({ signal }) => call('GET /api/v1/databases', { query: { limit: MAX_DATABASES } }, { signal }),
    enabled: mayOpen,
  });
  // loaded once, so that a refetch does not replace what is being edited
  const query = useQuery({
    queryKey: ['query-editor', source],
    queryFn: ({ signal }) => loadQuery(source ?? '', signal),
    enabled: mayOpen && source !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

  if (!mayOpen) return <NotForYou />;
  // an error of a later read must not replace what is being edited
  const failed = [databases, query].find(({ data, error }) => data === undefined && error !== null);
  if (failed !== undefined) {
    return (
      <>
        <PageHeader title="Query" />
        {problemOf(failed.error).status === 404 ? (
          <Missing />
        ) : (
          <ProblemAlert error={failed.error} onRetry={() => void failed.refetch()} />
        )}
      </>
    );
  }
  if (databases.data === undefined || (source !== undefined && query.data === undefined)) return <Loading />;
  const { data: loaded = null } = query;
  if (id === undefined) {
    const copied = loaded === null ? null : { from: loaded.target.id, draft: copyOf(loaded.target, can('queries.epilogue')) };
    return <QueryEditor key={`new ${copied?.from}`} loaded={null} databases={databases.data.items} copied={copied} />;
  }
  return <QueryEditor key={id} loaded={loaded} databases={databases.data.items} />;
}

const AllQueries = () => (
  <Button variant="default" renderRoot={(props) => <Link to="/queries" {...props} />}>
    All queries
  </Button>
);

const NotForYou = () => (
  <>
    <PageHeader title="Query" />
    <Paper withBorder>
      <EmptyState title="You don’t have permission to write queries" icon={IconLock} action={<AllQueries />}>
        Ask an administrator for a role that can write queries.
      </EmptyState>
    </Paper>
  </>
);

const Missing = () => (
  <Paper withBorder>
    <EmptyState title="Query not found" action={<AllQueries />}>
      It does not exist, or you don’t have access to it.
    </EmptyState>
  </Paper>
);

const Loading = () => (
  <>
    <PageHeader title="Query" />
    <Paper withBorder p="md" role="status" aria-busy aria-label="Loading the query">
      <Stack gap="sm">
        <Skeleton height={36} />
        <Skeleton height={220} />
        <Skeleton height={36} width={160} />
      </Stack>
    </Paper>
  </>
);
