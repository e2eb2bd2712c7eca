import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface List<T> {
  readonly items: readonly T[];
  readonly isLoading: boolean; // nothing to show yet
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly refetch: () => void;
}

/** A list that was read as a whole. */
export const wholeList = <T>(items: readonly T[]): List<T> => ({
  ...{ items, isLoading: false, error: null, hasMore: false, isLoadingMore: false },
  ...{ loadMore: doNothing, refetch: doNothing },
});

const doNothing = (): void => undefined;

/** A paged list. The current items stay while a list with new filters loads. */
export function useList<T>(
  queryKey: QueryKey,
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<T>>,
): List<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      // a slow search may end a page early, even before its first item
      let page = await fetchPage(pageParam, signal);
      while (page.items.length === 0 && page.nextCursor !== null) page = await fetchPage(page.nextCursor, signal);
      return page;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  return {
    items,
    isLoading: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  };
}
