import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { problemOf } from '../app/problem.ts';
import { EmptyPage } from '../components/empty-page.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';

export interface QueryProblemProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** In place of a query that could not be loaded. */
export function QueryProblem({ error, onRetry }: QueryProblemProps) {
  if (problemOf(error).status === 404) {
    return (
      <EmptyPage page="Query" title="Query not found" action={<AllQueries />}>
        It does not exist, or you don’t have access to it.
      </EmptyPage>
    );
  }
  return (
    <>
      <PageHeader title="Query" />
      <ProblemAlert error={error} onRetry={onRetry} />
    </>
  );
}

export const AllQueries = () => (
  <Button variant="default" renderRoot={(props) => <Link to="/queries" {...props} />}>
    All queries
  </Button>
);
