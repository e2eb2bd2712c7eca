import { useQuery } from '@tanstack/react-query';

export interface Edited<T> {
  readonly item: T | undefined;
  readonly error: Error | null;
  readonly reload: () => void;
}

/** Loads the record of a form once, when it opens: a newer version must not overwrite what is being typed. */
export function useEdited<T>(list: string, id: string, fetch: (signal: AbortSignal) => Promise<T>): Edited<T> {
  const { data, error, refetch } = useQuery({
    queryKey: ['edited', list, id],
    queryFn: ({ signal }) => fetch(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return { item: data, error, reload: () => void refetch() };
}
