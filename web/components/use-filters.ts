import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Filters } from '../app/filters.ts';

/**
 * What the address says behind its question mark, and a way to change some of it: `[filters, setFilters] = useFilters()`, `filters.status`,
 * `setFilters({ status: 'Active' })`. Undefined or '' takes a word away.
 */
export function useFilters(): readonly [Filters, (change: Filters) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (some: Filters) =>
      void navigate({ to: '.', search: (current: Filters) => ({ ...current, ...some }), replace: true, resetScroll: false }),
    [navigate],
  );
  return [filters, change];
}
