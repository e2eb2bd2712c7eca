import { Button, Center, Group, Paper, Skeleton, Stack, Table, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconArrowDown, IconArrowUp } from '../icons.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { useIsPhone } from '../use-is-phone.ts';
import styles from './data-table.module.css';
import { ScrollRegion } from './scroll-region.tsx';
import type { List } from './use-list.ts';

export interface Column<T> {
  readonly header: string; // unique; also the key
  readonly render: (item: T) => ReactNode;
  readonly align?: 'left' | 'right';
  readonly width?: number | string;
  /** Shows the header only to screen readers, for row actions. */
  readonly headerHidden?: boolean;
  /** What the list is sorted by when the header is pressed. */
  readonly sort?: string;
}

/** The buttons of each row, with a header for screen readers only. */
export const actionsColumn = <T,>(render: (item: T) => ReactNode): Column<T> => ({
  header: 'Actions',
  headerHidden: true,
  align: 'right',
  render,
});

export interface DataTableProps<T> {
  readonly label: string; // what the rows are: 'API keys'
  readonly list: List<T>;
  readonly columns: readonly Column<T>[];
  readonly rowKey: (item: T) => string;
  readonly empty: ReactNode; // an EmptyState
  readonly minWidth?: number; // below this width, the table scrolls horizontally
  readonly sort?: string; // 'name', or '-name' for descending
  readonly onSort?: (sort: string) => void;
  readonly isCompact?: boolean; // narrow rows whose texts are cut instead of wrapped
}

/** A list as a table, on a phone as cards, with its loading, empty and error states and a button for the next page. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, list, columns, rowKey, empty, minWidth = 640, sort = '', onSort, isCompact = false } = props;
  const isNarrow = useIsPhone();
  if (list.isLoading) return <Loading label={label} />;
  if (list.error !== null && list.items.length === 0) return <ProblemAlert error={list.error} onRetry={list.refetch} />;
  if (list.items.length === 0) return <Paper withBorder>{empty}</Paper>;
  const shown = { label, items: list.items, columns, rowKey };
  return (
    <Stack gap="sm">
      <ProblemAlert error={list.error} onRetry={list.refetch} />
      {isNarrow ? <Cards {...shown} /> : <Rows {...shown} {...{ minWidth, sort, onSort, isCompact }} />}
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

type Order = 'ascending' | 'descending' | 'none';

const orderOf = (by: string, sort: string): Order => (sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none');

type HeaderProps<T> = Pick<RowsProps<T>, 'sort' | 'onSort'> & { readonly column: Column<T> };

function Header<T>({ column: { header, headerHidden = false, sort: by }, sort, onSort }: HeaderProps<T>) {
  if (headerHidden) return <span className="visually-hidden">{header}</span>;
  if (by === undefined || onSort === undefined) return header;
  const order = orderOf(by, sort);
  const Icon = order === 'descending' ? IconArrowDown : IconArrowUp;
  return (
    <UnstyledButton fz="inherit" fw="inherit" onClick={() => onSort(sort === by ? `-${by}` : by)}>
      <Group gap={4} wrap="nowrap">
        {header}
        <Icon size={14} aria-hidden opacity={order === 'none' ? 0 : 1} />
      </Group>
    </UnstyledButton>
  );
}

interface ItemsProps<T> extends Pick<DataTableProps<T>, 'label' | 'columns' | 'rowKey'> {
  readonly items: readonly T[];
}

interface RowsProps<T> extends ItemsProps<T> {
  readonly minWidth: number;
  readonly sort: string;
  readonly onSort: ((sort: string) => void) | undefined;
  readonly isCompact: boolean;
}

function Rows<T>({ label, items, columns, rowKey, minWidth, sort, onSort, isCompact }: RowsProps<T>) {
  const classOf = ({ headerHidden = false }: Column<T>) => (headerHidden ? { className: styles.actions } : {});
  return (
    <Paper withBorder>
      <ScrollRegion label={label} minWidth={minWidth}>
        <Table
          verticalSpacing={isCompact ? 2 : 'sm'}
          horizontalSpacing="sm"
          aria-label={label}
          highlightOnHover
          {...(isCompact ? { layout: 'fixed' } : {})}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th
                  key={column.header}
                  ta={column.align ?? 'left'}
                  w={column.width}
                  scope="col"
                  style={{ whiteSpace: 'nowrap' }}
                  {...classOf(column)}
                  {...(column.sort === undefined ? {} : { 'aria-sort': orderOf(column.sort, sort) })}
                >
                  <Header column={column} sort={sort} onSort={onSort} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="appear">
            {items.map((item) => (
              <Table.Tr key={rowKey(item)}>
                {columns.map((column) => (
                  <Table.Td key={column.header} ta={column.align ?? 'left'} {...classOf(column)}>
                    {column.render(item)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </Paper>
  );
}

/** The first column is the title of a card, the actions are its last line, and the others are pairs of a name and a value. */
function Cards<T>({ label, items, columns, rowKey }: ItemsProps<T>) {
  const [title, ...rest] = columns;
  const facts = rest.filter(({ headerHidden = false }) => !headerHidden);
  const actions = rest.filter(({ headerHidden = false }) => headerHidden);
  return (
    <ul className={`${styles.cards} appear`} aria-label={label}>
      {items.map((item) => (
        <Paper key={rowKey(item)} component="li" withBorder className={styles.card}>
          <div>{title?.render(item)}</div>
          <dl className={styles.facts}>
            {facts.map(({ header, render }) => (
              <Fact key={header} name={header} value={render(item)} />
            ))}
          </dl>
          {actions.map(({ header, render }) => (
            <div key={header} className={styles.cardActions}>
              {render(item)}
            </div>
          ))}
        </Paper>
      ))}
    </ul>
  );
}

/** Nothing for an empty value. */
function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  if (value === null || value === undefined || value === false || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
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
