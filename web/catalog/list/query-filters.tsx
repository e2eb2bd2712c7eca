import { Autocomplete, Box, Group, SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queryStatuses } from '../../../src/catalog/query.ts';
import type { QueryOf } from '../../app/api.ts';
import { useSession } from '../../app/session.tsx';
import { allDatabases } from '../../app/whole-lists.ts';
import type { QueryStatus } from '../../app/wire.ts';
import { SearchField } from '../../components/lists/search-field.tsx';
import { useSearchParams } from '../../components/use-search-params.ts';
import { useTypedParam } from '../../components/use-typed-param.ts';
import { useTags } from './use-tags.ts';

/** The filters of the list, kept in the URL. */
export function QueryFilters({ children }: { readonly children: ReactNode }) {
  const { canManageQueries } = useSession();
  const [filters, setFilters] = useSearchParams();
  const { data } = useQuery(allDatabases);
  const names = data?.items.map(({ name }) => name) ?? [];
  const database = filters.database ?? '';
  return (
    <Group gap="sm" mb="md">
      <SearchField label="Search queries" />
      {/* other users see Active queries only */}
      {canManageQueries && (
        <Select
          aria-label="Status"
          placeholder="Any status"
          data={queryStatuses}
          value={asStatus(filters.status) ?? null}
          onChange={(status) => setFilters({ status: status ?? '' })}
          clearable
          clearButtonProps={{ 'aria-label': 'Any status' }}
          w={{ base: 'calc(50% - 6px)', xs: 140 }}
        />
      )}
      <Select
        aria-label="Database"
        placeholder="Any database"
        data={database === '' || names.includes(database) ? names : [database, ...names]}
        value={database === '' ? null : database}
        onChange={(name) => setFilters({ database: name ?? '' })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Any database' }}
        nothingFoundMessage="No such database"
        w={{ base: 'calc(50% - 6px)', xs: 160 }}
      />
      <TagFilter />
      <SegmentedControl
        size="xs"
        aria-label="Shown queries"
        data={[
          { value: '', label: 'All' },
          { value: 'favorites', label: 'Favorites' },
          { value: 'recent', label: 'Recently used' },
        ]}
        value={['favorites', 'recent'].find((each) => each === filters.show) ?? ''}
        onChange={(show) => setFilters({ show })}
      />
      <Box ml="auto">{children}</Box>
    </Group>
  );
}

function TagFilter() {
  const [typed, change] = useTypedParam('tag');
  const known = useTags();
  return (
    <Autocomplete
      aria-label="Tag"
      placeholder="Any tag"
      data={[...known]}
      value={typed}
      onChange={change}
      clearable
      clearButtonProps={{ 'aria-label': 'Any tag' }}
      w={{ base: '100%', xs: 140 }}
    />
  );
}

type Sort = NonNullable<QueryOf<'GET /api/v1/queries'>['sort']>;
const sorts: readonly Sort[] = ['name', 'database', 'owner', 'status', 'lastRun', 'lastUsed'];
const descending: readonly Sort[] = ['-name', '-database', '-owner', '-status', '-lastRun', '-lastUsed'];

/** Ignores an unknown order in the URL. */
export const asSort = (word: string | undefined): Sort | undefined => [...sorts, ...descending].find((sort) => sort === word);

/** Ignores an unknown status in the URL. */
export const asStatus = (word: string | undefined): QueryStatus | undefined => queryStatuses.find((status) => status === word);
