import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Row } from '../app/wire.ts';
import { IconInfoCircle } from '../components/icons.tsx';
import { useIsPhone } from '../components/use-is-phone.ts';
import { CellGrid } from './cell-grid.tsx';
import type { GridColumn } from './grid-column.ts';
import { GridTools } from './grid-tools.tsx';
import styles from './result-grid.module.css';
import { RowCards } from './row-cards.tsx';
import { type ArrangedRows, useArrangedRows } from './use-arranged-rows.ts';

export interface ResultGridProps {
  readonly label: string; // what the rows are, for screen readers
  readonly columns: readonly GridColumn[]; // the same array while the rows are the same
  readonly rows: readonly Row[];
  readonly firstRow?: number; // of these rows in the whole result, from 0
  readonly totalRows?: number | null; // null: not known yet
  readonly isStale?: boolean; // newer rows are loading
  readonly showRow?: number | null; // index of the row to scroll to and select
  readonly maxHeight?: number | string;
  readonly goesOn?: string | null; // said below the rows if they are not the end of the result
  readonly footer?: ReactNode; // next to the buttons below the grid
  readonly rememberAs?: string | null; // under this name, the browser remembers hidden columns
}

export interface ArrangedViewProps extends ResultGridProps {
  readonly arranged: ArrangedRows;
  readonly notes: ReactNode; // directly below the rows
}

/** The rows of a result, sorted and filtered as the reader likes: a grid, on a phone cards. */
export function ResultGrid(props: ResultGridProps) {
  const { columns, rows, firstRow = 0, totalRows = null, goesOn = null, rememberAs = null } = props;
  const isPhone = useIsPhone();
  const arranged = useArrangedRows(columns, rows, rememberAs);
  const isWhole = totalRows !== null && rows.length >= totalRows;
  const notes = (
    <>
      {arranged.order.length === 0 && (
        <Text size="sm" c="dimmed" ta="center" py="lg">
          {rows.length === 0 ? 'No rows' : 'No loaded row matches the filter.'}
        </Text>
      )}
      {goesOn !== null && (
        <Text size="xs" className={styles.note} mt={4}>
          <IconInfoCircle size={14} aria-hidden />
          {goesOn}
        </Text>
      )}
    </>
  );
  const View = isPhone ? RowCards : CellGrid;
  return (
    <div>
      <GridTools
        all={columns}
        arranged={arranged}
        loaded={{ first: firstRow, count: rows.length, isWhole }}
        hasSortField={isPhone} // cards have no column headers
      />
      <View {...props} arranged={arranged} notes={notes} />
    </div>
  );
}
