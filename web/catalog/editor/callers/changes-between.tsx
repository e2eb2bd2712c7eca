import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../app/api.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ChangeList, ChangesTitle } from './change-list.tsx';

export interface ChangesBetweenProps {
  readonly id: string; // of the query
  readonly from: number;
  readonly to: number;
}

/** What callers notice if one version takes the place of another. */
export function ChangesBetween({ id, from, to }: ChangesBetweenProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['queries', id, 'changes', from, to],
    queryFn: ({ signal }) =>
      // callers are not shown
      call(
        'GET /api/v1/queries/{id}/changes',
        { params: { id }, query: { from: String(from), to: String(to), days: 1 } },
        { signal },
      ),
  });
  return (
    <Stack gap={4}>
      <ChangesTitle>For callers</ChangesTitle>
      {data !== undefined && <ChangeList {...data} />}
      {data === undefined && error === null && <Skeleton height={40} role="status" aria-label="Comparing for callers" />}
      {data === undefined && <ProblemAlert error={error} onRetry={() => void refetch()} />}
    </Stack>
  );
}
