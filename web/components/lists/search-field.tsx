import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { IconSearch } from '../icons.tsx';
import { useSearchParams } from '../use-search-params.ts';

const TYPING_MS = 250;

/** The search of a list, kept in the URL as `?search=`. The key `/` focuses it. */
export function SearchField({ label = 'Search' }: { readonly label?: string }) {
  const [{ search = '' }, setFilters] = useSearchParams();
  const [typed, setTyped] = useState(search);
  const apply = useDebouncedCallback((text: string) => setFilters({ search: text }), TYPING_MS);
  useEffect(() => setTyped(search), [search]); // the URL changed by other means: Back, or a link
  const change = (text: string) => {
    setTyped(text);
    apply(text);
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      data-search
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={typed === '' ? null : <CloseButton aria-label="Clear search" size="sm" onClick={() => change('')} />}
      w={{ base: '100%', xs: 280 }}
    />
  );
}
