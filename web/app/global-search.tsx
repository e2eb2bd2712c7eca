import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { IconFileDatabase, IconSearch } from '../components/icons.tsx';
import { call } from './api.ts';
import { allPages } from './navigation.ts';
import { useSession } from './session.tsx';

const MAX_QUERIES = 8;

/** Ctrl K: finds pages and queries by name. */
export function GlobalSearch() {
  const [text, setText] = useState('');
  return (
    <Spotlight
      actions={useActions(text)}
      query={text}
      onQueryChange={setText}
      filter={(_, actions) => actions} // pages are filtered below, queries by the service
      shortcut={null} // the shell handles it
      nothingFound="Nothing found"
      highlightQuery
      scrollable
      attributes={{ content: { 'aria-label': 'Find a query or a page' } }}
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: 'Find a query or a page',
        'aria-label': 'Find a query or a page',
      }}
    />
  );
}

function useActions(text: string): SpotlightActionGroupData[] {
  const navigate = useNavigate();
  const { session } = useSession();
  const [search] = useDebouncedValue(text.trim(), 150);
  const queries = useQuery({
    queryKey: ['queries', 'find', search],
    queryFn: ({ signal }) => call('GET /api/v1/queries', { query: { search, limit: MAX_QUERIES } }, { signal }),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  });
  const pages: SpotlightActionData[] = allPages(session)
    .filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ label, to, icon: Icon }) => ({
      id: to,
      label,
      leftSection: <Icon size={18} aria-hidden />,
      onClick: () => void navigate({ to }),
    }));
  const found: SpotlightActionData[] = (search === '' ? [] : (queries.data?.items ?? [])).map((query) => ({
    id: query.id,
    label: query.name,
    description: `${query.queryName} · ${query.status}`,
    leftSection: <IconFileDatabase size={18} aria-hidden />,
    onClick: () => void navigate({ to: '/queries/$id', params: { id: query.id } }),
  }));
  return [
    { group: 'Queries', actions: found },
    { group: 'Pages', actions: pages },
  ].filter(({ actions }) => actions.length > 0);
}
