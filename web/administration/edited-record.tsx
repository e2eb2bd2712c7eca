import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { ProblemAlert } from '../components/problem-alert.tsx';

export interface EditedRecordProps<T> {
  readonly list: string; // the cache key of the list that it belongs to
  readonly id: string; // `new` for a new record
  readonly read: (signal: AbortSignal) => Promise<T>;
  readonly children: (saved: T | null, reload: () => void) => ReactNode; // the form; null: a new record
}

/** Reads the record of a form once, when it opens: a newer version must not overwrite what is being typed. */
export function EditedRecord<T extends { readonly version?: number }>({ list, id, read, children }: EditedRecordProps<T>) {
  const { data, error, refetch } = useQuery({
    queryKey: ['edited', list, id],
    queryFn: ({ signal }) => read(signal),
    enabled: id !== 'new',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const reload = () => void refetch();
  if (id === 'new') return children(null, reload);
  if (error !== null) return <ProblemAlert error={error} onRetry={reload} />;
  if (data === undefined) return <Skeleton height={320} />;
  return <Fragment key={data.version}>{children(data, reload)}</Fragment>;
}
