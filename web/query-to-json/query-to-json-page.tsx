import { Alert, Stack } from '@mantine/core';
import type { Query } from '../app/wire.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { rememberNamedQuery, useNamedQuery } from '../components/queries/use-named-query.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import { CallBuilder } from './call-builder.tsx';

/** Query To JSON: a call of the interface, put together, tried and copied. */
export function QueryToJsonPage() {
  const [filters, setFilters] = useSearchParams();
  const { query: found, error, isMissing } = useNamedQuery(filters.query);
  const isRefused = found !== null && !found.canRun;
  const query = isRefused ? null : found;
  const pick = (picked: Query | null) => {
    if (picked !== null) rememberNamedQuery(picked);
    const valuesOfBefore = Object.keys(filters).filter((name) => name.startsWith('@'));
    setFilters({ ...Object.fromEntries(valuesOfBefore.map((name) => [name, undefined])), query: picked?.queryName });
  };
  return (
    <>
      <PageHeader title="Query To JSON" description="Put a call together, try it, and take it along as code." />
      <Stack gap="md">
        <ProblemAlert error={error} />
        {(isMissing || isRefused) && (
          <Alert color="yellow" variant="light" title={`No query ${filters.query}`} role="alert">
            It does not exist, is not Active, or is not for you. Choose another one.
          </Alert>
        )}
        <CallBuilder query={query} onPick={pick} />
      </Stack>
    </>
  );
}
