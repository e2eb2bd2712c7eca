import { Button, Group, Stack } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { withBasePath } from './base-path.ts';
import { isTransient, problemOf } from './problem.ts';
import { whenReady } from './when-ready.ts';

/** Shown instead of a page that failed to render. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  const isAway = isTransient(problemOf(error));
  useEffect(() => queries.reset(), [queries]);
  // loads the page's files, too, which may be new after a restart
  useEffect(() => (isAway ? whenReady(() => window.location.reload()) : undefined), [isAway]);
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Stack p="md" maw={720}>
      <PageHeader title="This page could not be shown" />
      <ProblemAlert error={error} onRetry={retry} />
      <Group>
        <Button variant="default" component="a" href={withBasePath('/')}>
          Home
        </Button>
      </Group>
    </Stack>
  );
}
