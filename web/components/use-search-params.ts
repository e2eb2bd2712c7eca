import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The search parameters of the URL: strings, each at most once. */
export type SearchParams = Readonly<Record<string, string | undefined>>;

/** Reads and changes the search parameters of the URL. Undefined or '' removes one. */
export function useSearchParams(): readonly [SearchParams, (change: SearchParams) => void] {
  const params: SearchParams = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (some: SearchParams) =>
      void navigate({ to: '.', search: (current: SearchParams) => ({ ...current, ...some }), replace: true, resetScroll: false }),
    [navigate],
  );
  return [params, change];
}
