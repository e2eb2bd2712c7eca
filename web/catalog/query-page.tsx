import { Code, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../app/api.ts';
import type { Query } from '../app/wire.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconBulb } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { valuesFromUrl } from '../components/parameters/url-values.ts';
import { CannotRun } from '../components/queries/cannot-run.tsx';
import { FavoriteButton } from '../components/queries/favorite-button.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { QueryProblem } from './query-problem.tsx';
import { QueryLinks } from './run/query-links.tsx';
import { QueryRunner } from './run/query-runner.tsx';

/** A query with its parameters and result. */
export function QueryPage() {
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: ['queries', id],
    queryFn: ({ signal }) => call('GET /api/v1/queries/{id}', { params: { id } }, { signal }),
  });
  if (data !== undefined) return <Opened key={data.id} query={data} />;
  return error === null ? <Loading /> : <QueryProblem error={error} onRetry={() => void refetch()} />;
}

function Opened({ query }: { readonly query: Query }) {
  const [filters] = useSearchParams();
  const [values, setValues] = useState(() => valuesFromUrl(query.parameters, filters));
  return (
    <>
      <PageHeader
        title={query.name}
        badge={
          <Group gap={6}>
            <StatusBadge {...query} />
            <FavoriteButton query={query} />
          </Group>
        }
        description={
          <Group gap={6}>
            <Code>{query.queryName}</Code>
            <CopyButton value={query.queryName} label="Copy technical name" />
            <Text span size="sm">
              on {query.database}
            </Text>
          </Group>
        }
        actions={<QueryLinks query={query} values={values} />}
      />
      <Stack gap="md">
        {query.description !== '' && (
          <Text size="sm" maw={760} style={{ whiteSpace: 'pre-line' }}>
            {query.description}
          </Text>
        )}
        {query.tip !== '' && (
          <Group gap={6} wrap="nowrap" align="flex-start" maw={760}>
            <IconBulb size={18} aria-hidden style={{ flexShrink: 0 }} />
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <span className="visually-hidden">Tip: </span>
              {query.tip}
            </Text>
          </Group>
        )}
        {query.canRun ? <QueryRunner query={query} values={values} onChange={setValues} /> : <CannotRun query={query} />}
      </Stack>
    </>
  );
}

const Loading = () => (
  <>
    <PageHeader title="Query" />
    <Paper withBorder p="md" role="status" aria-busy aria-label="Loading the query">
      <Stack gap="sm">
        <Skeleton height={22} width="40%" />
        <Skeleton height={36} />
        <Skeleton height={36} width={120} />
      </Stack>
    </Paper>
  </>
);
