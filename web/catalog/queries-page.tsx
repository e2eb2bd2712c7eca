import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { useFigures } from '../components/figures/use-figures.ts';
import { IconPlus } from '../components/icons.tsx';
import { DataTable } from '../components/lists/data-table.tsx';
import { useList } from '../components/lists/use-list.ts';
import { PageHeader } from '../components/page-header.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { queryColumns } from './list/query-columns.tsx';
import { asSort, asStatus, QueryFilters } from './list/query-filters.tsx';

const MOST_FIGURES = 50; // that the service returns at once

/** The catalog: all queries that the user may see. */
export function QueriesPage() {
  const { can } = useSession();
  const [filters, setFilters] = useSearchParams();
  const { search, database, tag } = filters;
  const sort = asSort(filters.sort);
  const query = {
    ...{ search, status: asStatus(filters.status), database, tag, sort },
    favorite: filters.show === 'favorites' ? ('true' as const) : undefined,
    recent: filters.show === 'recent' ? ('true' as const) : undefined,
  };
  const list = useList(['queries', 'list', query], (cursor, signal) =>
    call('GET /api/v1/queries', { query: { ...query, cursor } }, { signal }),
  );
  const isFiltered = Object.entries(query).some(([name, value]) => name !== 'sort' && value !== undefined && value !== '');
  const { figures } = useFigures(list.items.slice(0, MOST_FIGURES).map(({ queryName }) => queryName));
  const columns = queryColumns((chosen) => setFilters({ tag: chosen }), figures);
  return (
    <>
      <PageHeader title="Queries" actions={can('queries.author') && <NewQuery />} />
      <QueryFilters>
        <CurlButton operation="GET /api/v1/queries" parts={{ query }} />
      </QueryFilters>
      <DataTable
        label="Queries"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={1000}
        isCompact
        sort={toSort(query)}
        onSort={(by) => setFilters({ sort: by })}
        empty={
          isFiltered ? <NothingFound onClear={() => setFilters(noFilters)} /> : <NoQueries isAuthor={can('queries.author')} />
        }
      />
    </>
  );
}

/** The order that the service has applied: by name, by the best match, or by the last use. */
const toSort = ({
  sort,
  search = '',
  recent,
}: {
  sort?: string | undefined;
  search?: string | undefined;
  recent?: string | undefined;
}) => sort ?? (search === '' && recent === undefined ? 'name' : '');

const noFilters = { search: '', status: '', database: '', tag: '', show: '' };

const NewQuery = () => (
  <Button leftSection={<IconPlus size={16} aria-hidden />} renderRoot={(props) => <Link to="/queries/new" {...props} />}>
    New query
  </Button>
);

const NothingFound = ({ onClear }: { readonly onClear: () => void }) => (
  <EmptyState
    title="No matching queries"
    action={
      <Button variant="default" onClick={onClear}>
        Clear filters
      </Button>
    }
  >
    The search covers names, technical names, descriptions and tags.
  </EmptyState>
);

const NoQueries = ({ isAuthor }: { readonly isAuthor: boolean }) =>
  isAuthor ? (
    <EmptyState title="No queries yet" action={<NewQuery />}>
      Write one in SQL, with @Name for each value that callers pass.
    </EmptyState>
  ) : (
    <EmptyState title="No queries yet">Active queries for your databases and roles appear here.</EmptyState>
  );
