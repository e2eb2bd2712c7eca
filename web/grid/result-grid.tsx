import { Text } from '@mantine/core';
import { useEffect } from 'react';
import { IconInfoCircle } from '../components/icons.tsx';
import { useIsPhone } from '../components/use-is-phone.ts';
import { useIsPrinting } from '../components/use-is-printing.ts';
import { type Arrangement, isArranged } from './arrange-rows.ts';
import { CellGrid } from './cell-grid.tsx';
import { GridTools } from './grid-tools.tsx';
import { PrintTable } from './print-table.tsx';
import type { ResultGridProps } from './result-grid-props.ts';
import styles from './result-grid.module.css';
import { RowCards } from './row-cards.tsx';
import { useArrangedRows } from './use-arranged-rows.ts';

/** The rows of a result, sorted and filtered as the reader likes: a grid, on a phone cards. */
export function ResultGrid(props: ResultGridProps) {
  const { columns, rows, firstRow = 0, totalRows = null, moreRowsNote = null, rememberAs = null, rest = null } = props;
  const isPhone = useIsPhone();
  const isPrinting = useIsPrinting();
  const isLoading = (arrangement: Arrangement) =>
    isArranged(arrangement) && (rest?.state === 'unloaded' || rest?.state === 'loading');
  const arranged = useArrangedRows(columns, rows, rememberAs, isLoading);
  const isWhole = totalRows !== null && rows.length >= totalRows;
  const needsRest = rest?.state === 'unloaded' && isArranged(arranged.arrangement);
  useEffect(() => {
    if (needsRest) rest.load();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each need
  }, [needsRest]);
  const notes = (
    <>
      {arranged.order.length === 0 && (
        <Text size="sm" c="dimmed" ta="center" py="lg">
          {rows.length === 0 ? 'No rows' : 'No loaded row matches the filter.'}
        </Text>
      )}
      {moreRowsNote !== null && (
        <Text size="xs" className={styles.note} mt={4}>
          <IconInfoCircle size={14} aria-hidden />
          {moreRowsNote}
        </Text>
      )}
    </>
  );
  const View = isPhone ? RowCards : CellGrid;
  if (isPrinting) return <PrintTable {...props} arranged={arranged} notes={notes} />;
  return (
    <div>
      <GridTools
        rest={rest}
        all={columns}
        arranged={arranged}
        loaded={{ first: firstRow, count: rows.length, isWhole }}
        hasSortField={isPhone} // cards have no column headers
      />
      <View {...props} arranged={arranged} notes={notes} />
    </div>
  );
}
