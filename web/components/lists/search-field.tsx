import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '../icons.tsx';
import { useTypedParam } from '../use-typed-param.ts';

/** The search of a list, kept in the URL as `?search=`. The key `/` focuses it. */
export function SearchField({ label }: { readonly label: string }) {
  const [typed, change] = useTypedParam('search');
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
