import { Button, Center, Paper, Skeleton, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemAlert } from '../problem-alert.tsx';
import { ScrollRegion } from './scroll-region.tsx';
import type { List } from './use-list.ts';

export interface Column<T> {
  readonly header: string; // unique; also the key
  readonly render: (item: T) => ReactNode;
  readonly align?: 'left' | 'right';
  readonly width?: number | string;
  /** Shows the header only to screen readers, for row actions. */
  readonly headerHidden?: boolean;
}

export interface DataTableProps<T> {
  readonly label: string; // what the rows are: 'API keys'
  readonly list: List<T>;
  readonly columns: readonly Column<T>[];
  readonly rowKey: (item: T) => string;
  readonly empty: ReactNode; // an EmptyState
  readonly minWidth?: number; // below this width, the table scrolls horizontally
}

/** A list as a table, with its loading, empty and error states and a button for the next page. */
export function DataTable<T>({ label, list, columns, rowKey, empty, minWidth = 640 }: DataTableProps<T>) {
  if (list.isLoading) return <Loading label={label} />;
  if (list.error !== null && list.items.length === 0) return <ProblemAlert error={list.error} onRetry={list.refetch} />;
  if (list.items.length === 0) return <Paper withBorder>{empty}</Paper>;
  return (
    <Stack gap="sm">
      <ProblemAlert error={list.error} onRetry={list.refetch} />
      <Paper withBorder>
        <ScrollRegion label={label} minWidth={minWidth}>
          <Table verticalSpacing="sm" horizontalSpacing="md" aria-label={label} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ header, align = 'left', width, headerHidden = false }) => (
                  <Table.Th key={header} ta={align} w={width} scope="col">
                    {headerHidden ? <span className="visually-hidden">{header}</span> : header}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody className="appear">
              {list.items.map((item) => (
                <Table.Tr key={rowKey(item)}>
                  {columns.map(({ header, render, align = 'left' }) => (
                    <Table.Td key={header} ta={align}>
                      {render(item)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      </Paper>
      {list.hasMore && (
        <Center>
          <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
            Show more
          </Button>
        </Center>
      )}
    </Stack>
  );
}

function Loading({ label }: { readonly label: string }) {
  return (
    <Paper withBorder p="md" aria-busy aria-label={`Loading ${label}`} role="status">
      <Stack gap="sm">
        {[0, 1, 2, 3].map((row) => (
          <Skeleton key={row} height={22} />
        ))}
      </Stack>
    </Paper>
  );
}
