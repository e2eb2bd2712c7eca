import { Button, Group, Stack } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';

/** Shown instead of a page that failed to render. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  useEffect(() => queries.reset(), [queries]);
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Stack p="md" maw={720}>
      <PageHeader title="This page could not be shown" />
      <ProblemAlert error={error} />
      <Group>
        <Button onClick={again}>Try again</Button>
        <Button variant="default" component="a" href="/">
          Home
        </Button>
      </Group>
    </Stack>
  );
}
