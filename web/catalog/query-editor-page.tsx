import { Paper, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useSession } from '../app/session.tsx';
import { allDatabases } from '../app/whole-lists.ts';
import { EmptyPage } from '../components/empty-page.tsx';
import { IconLock } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { loadQuery } from './editor/load-query.ts';
import { copyOf } from './editor/query-draft.ts';
import { QueryEditor } from './editor/query-editor.tsx';
import { AllQueries, QueryProblem } from './query-problem.tsx';

/** Edits an existing or a new query. */
export function QueryEditorPage() {
  const { id } = useParams({ strict: false });
  const [{ copy }] = useSearchParams();
  const source = id ?? copy; // a copy is a new query with the content of another one
  const { can, canManageQueries } = useSession();
  const mayOpen = id === undefined ? can('queries.author') : canManageQueries;
  const databases = useQuery({ ...allDatabases, enabled: mayOpen });
  // loaded once, so that a refetch does not replace what is being edited
  const query = useQuery({
    queryKey: ['query-editor', source],
    queryFn: ({ signal }) => loadQuery(source ?? '', signal),
    enabled: mayOpen && source !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

  if (!mayOpen) return <NotAllowed />;
  // an error of a later read must not replace what is being edited
  const failed = [databases, query].find(({ data, error }) => data === undefined && error !== null);
  if (failed !== undefined) return <QueryProblem error={failed.error} onRetry={() => void failed.refetch()} />;
  if (databases.data === undefined || (source !== undefined && query.data === undefined)) return <Loading />;
  const { data: loaded = null } = query;
  if (id === undefined) {
    const copied = loaded === null ? null : { from: loaded.target.id, draft: copyOf(loaded.target, can('queries.epilogue')) };
    return <QueryEditor key={`new ${copied?.from}`} loaded={null} databases={databases.data.items} copied={copied} />;
  }
  return <QueryEditor key={id} loaded={loaded} databases={databases.data.items} />;
}

const NotAllowed = () => (
  <EmptyPage page="Query" title="You don’t have permission to write queries" icon={IconLock} action={<AllQueries />}>
    Ask an administrator for a role that can write queries.
  </EmptyPage>
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
