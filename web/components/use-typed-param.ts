import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useSearchParams } from './use-search-params.ts';

const TYPING_MS = 250;

/** The typed text of a filter, which is written to a search parameter of the URL after a delay. */
export function useTypedParam(name: string): readonly [typed: string, change: (text: string) => void] {
  const [{ [name]: value = '' }, setFilters] = useSearchParams();
  const [typed, setTyped] = useState(value);
  const apply = useDebouncedCallback((text: string) => setFilters({ [name]: text.trim() }), TYPING_MS);
  // the URL changed by other means: Back, or a link; otherwise a space that was just typed stays
  useEffect(() => setTyped((before) => (before.trim() === value ? before : value)), [value]);
  const change = (text: string) => {
    setTyped(text);
    apply(text);
  };
  return [typed, change];
}
