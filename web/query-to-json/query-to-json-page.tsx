import { Alert, Stack } from '@mantine/core';
import { NeedsPermission } from '../administration/needs-permission.tsx';
import type { Query } from '../app/wire.ts';
import { PageHeader } from '../components/page-header.tsx';
import { clearValues } from '../components/parameters/url-values.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { CannotRun } from '../components/queries/cannot-run.tsx';
import { rememberNamedQuery, useNamedQuery } from '../components/queries/use-named-query.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import { CallBuilder } from './call-builder.tsx';

/** Builds a REST call, tests it, and shows it as code. */
export function QueryToJsonPage() {
  return (
    <NeedsPermission permission="queries.run" title="Query To JSON">
      <QueryToJson />
    </NeedsPermission>
  );
}

function QueryToJson() {
  const [filters, setFilters] = useSearchParams();
  const { query: found, error, isMissing, retry } = useNamedQuery(filters.query);
  const query = found?.canRun === true ? found : null;
  const pick = (picked: Query | null) => {
    if (picked !== null) rememberNamedQuery(picked);
    setFilters({ ...clearValues(filters), query: picked?.queryName });
  };
  return (
    <>
      <PageHeader
        title="Query To JSON"
        tab={query === null ? 'Query To JSON' : `${query.name} · JSON`}
        description="Build a call, test it, copy the code."
      />
      <Stack gap="md">
        <ProblemAlert error={error} onRetry={retry} />
        {isMissing && (
          <Alert color="yellow" variant="light" title={`Query ${filters.query} not found`} role="alert">
            It does not exist, is not Active, or you don’t have access to it. Choose another query.
          </Alert>
        )}
        {found !== null && <CannotRun query={found} />}
        <CallBuilder query={query} onPick={pick} />
      </Stack>
    </>
  );
}
