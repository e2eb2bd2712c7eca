import { Text } from '@mantine/core';
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Row } from '../app/wire.ts';
import { copyText } from '../components/copy/copy-text.ts';
import edges from '../components/lists/scroll-region.module.css';
import { useScrollEdges } from '../components/lists/use-scroll-edges.ts';
import { useIsPhone } from '../components/use-is-phone.ts';
import { CellDialog } from './cell-dialog.tsx';
import { copiedCell, copiedRow } from './cell-text.ts';
import { GridBar } from './grid-bar.tsx';
import type { GridColumn } from './grid-column.ts';
import { isNumeric } from './grid-columns.ts';
import { type CellPosition, positionAfter } from './grid-keys.ts';
import { GridRow } from './grid-row.tsx';
import styles from './result-grid.module.css';
import { RowCards } from './row-cards.tsx';
import { useColumnWidths } from './use-column-widths.ts';
import { useGridWindow } from './use-grid-window.ts';

const RESIZE_PX = 16;

export interface ResultGridProps {
  readonly label: string; // what the rows are, for screen readers
  readonly columns: readonly GridColumn[];
  readonly rows: readonly Row[];
  readonly firstRow?: number; // of these rows in the whole result, from 0
  readonly totalRows?: number | null; // null: not known yet
  readonly isStale?: boolean; // newer rows are loading
  readonly showRow?: number | null; // index of the row to scroll to and select
  readonly maxHeight?: number | string;
  readonly footer?: ReactNode; // next to the buttons below the grid
}

/** The rows of a result: a grid, on a phone cards. */
export const ResultGrid = (props: ResultGridProps) => (useIsPhone() ? <RowCards {...props} /> : <Grid {...props} />);

/** A virtualized grid with keyboard navigation as in a spreadsheet. */
function Grid(props: ResultGridProps) {
  const { label, columns, rows, firstRow = 0, totalRows = null, isStale = false, showRow = null, maxHeight = '65vh' } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const takesFocus = useRef(false);
  const keysId = useId();
  const [chosen, setChosen] = useState<CellPosition>({ row: 0, column: 0 });
  const [opened, setOpened] = useState<CellPosition | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const { widths, change, fitColumn, drag } = useColumnWidths(columns, rows);
  const active = { row: Math.min(chosen.row, rows.length - 1), column: Math.min(chosen.column, columns.length - 1) };
  const numberWidth = 24 + String(firstRow + rows.length).length * 8;
  const view = useGridWindow(scroll, rows.length, widths, numberWidth, active);

  const go = (position: CellPosition) => {
    takesFocus.current = true;
    setChosen(position);
    view.show(position);
  };
  useLayoutEffect(() => {
    if (!takesFocus.current) return;
    takesFocus.current = false;
    scroll.current?.querySelector<HTMLElement>(`[data-position="${chosen.row} ${chosen.column}"]`)?.focus();
  }, [chosen]);
  const show = useRef(view.show);
  show.current = view.show;
  // a new page starts at its first row unless another one was requested
  useEffect(() => {
    const row = showRow ?? 0;
    show.current({ row, column: -1 });
    setChosen((before) => ({ ...before, row }));
  }, [rows, showRow]);

  const textAt = ({ row, column }: CellPosition): string => {
    const [from, of] = [rows[row], columns[column]];
    if (from === undefined) return of?.label ?? columns.map((each) => each.label).join('\t');
    return of === undefined ? copiedRow(from, columns) : copiedCell(from[of.label], of);
  };
  const copy = async (position: CellPosition) => {
    const done = await copyText(textAt(position));
    setAnnouncement(done ? `${position.column < 0 ? 'Row' : 'Cell'} copied` : 'The browser does not allow copying.');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, altKey } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (altKey) return;
    if (isCommand && key === 'c' && (window.getSelection()?.isCollapsed ?? true)) void copy(active);
    else if (key === 'Enter' && active.row >= 0 && active.column >= 0) setOpened(active);
    else if (key === 'Enter' && active.row < 0) fitColumn(active.column);
    else if (shiftKey && active.row < 0 && key === 'ArrowLeft') change(active.column, -RESIZE_PX);
    else if (shiftKey && active.row < 0 && key === 'ArrowRight') change(active.column, RESIZE_PX);
    else {
      const position = positionAfter(active, event, {
        rows: rows.length,
        columns: columns.length,
        rowsOnScreen: view.rowsOnScreen,
      });
      if (position === null) return;
      go(position);
    }
    event.preventDefault();
  };
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const [row, column] = event.target.dataset.position?.split(' ').map(Number) ?? [];
    if (row !== undefined && column !== undefined && (row !== active.row || column !== active.column)) setChosen({ row, column });
  };
  const width = numberWidth + view.width;
  const more = useScrollEdges(scroll);

  return (
    <div>
      <div className={edges.frame} data-more={more}>
        <div
          ref={scroll}
          role="grid"
          aria-label={label}
          aria-readonly
          aria-busy={isStale}
          aria-rowcount={totalRows === null ? -1 : totalRows + 1}
          aria-colcount={columns.length + 1}
          aria-describedby={keysId}
          tabIndex={-1}
          className={isStale ? `${styles.scroll} ${styles.stale}` : styles.scroll}
          style={{ maxHeight, scrollPaddingLeft: numberWidth }}
          onKeyDown={onKeyDown}
          onFocus={onFocus}
        >
          <div role="rowgroup" className={styles.head} style={{ width }}>
            <div role="row" aria-rowindex={1} tabIndex={-1} style={{ height: '100%' }}>
              <Corner width={numberWidth} isActive={active.row < 0 && active.column < 0} />
              {view.columns.map(({ index, start, size }) => {
                const column = columns[index];
                if (column === undefined) return null;
                const isActive = active.row < 0 && active.column === index;
                return (
                  <div
                    key={column.label}
                    role="columnheader"
                    aria-colindex={index + 2}
                    tabIndex={isActive ? 0 : -1}
                    data-position={`-1 ${index}`}
                    title={column.type === '' ? column.label : `${column.label} · ${column.type}`}
                    className={isNumeric(column) ? `${styles.header} ${styles.right}` : styles.header}
                    style={{ left: numberWidth + start, width: size }}
                  >
                    <span>{column.label}</span>
                    <span
                      aria-hidden
                      className={styles.handle}
                      onPointerDown={(event) => drag(index, event)}
                      onDoubleClick={() => fitColumn(index)}
                    />
                  </div>
                );
              })}
            </div>
          </div>
          <div role="rowgroup" className={styles.body} style={{ width, height: view.height }}>
            {view.rows.map(({ index, start }) => {
              const row = rows[index];
              if (row === undefined) return null;
              return (
                <GridRow
                  key={index}
                  row={row}
                  index={index}
                  number={firstRow + index + 1}
                  top={start}
                  numberWidth={numberWidth}
                  columns={columns}
                  inSight={view.columns}
                  activeColumn={active.row === index ? active.column : null}
                  onOpen={(column) => setOpened({ row: index, column })}
                />
              );
            })}
          </div>
        </div>
      </div>
      {rows.length === 0 && (
        <Text size="sm" c="dimmed" ta="center" py="lg">
          No rows
        </Text>
      )}
      <p id={keysId} hidden>
        Use the arrow keys to move. Enter shows the whole cell. Control C copies the cell, or the row if its number is selected.
        In the header, Shift with an arrow key changes the column width.
      </p>
      <GridBar
        position={rows[active.row] === undefined ? null : `Row ${(firstRow + active.row + 1).toLocaleString('en')}`}
        column={columns[active.column]?.label ?? null}
        announcement={announcement}
        textOfCell={() => textAt(active)}
        textOfRow={() => textAt({ ...active, column: -1 })}
        onOpen={() => setOpened({ ...active, column: Math.max(0, active.column) })}
      >
        {props.footer}
      </GridBar>
      <CellDialog
        column={opened === null ? undefined : columns[opened.column]}
        row={opened === null ? undefined : rows[opened.row]}
        number={firstRow + (opened?.row ?? 0) + 1}
        onClose={() => setOpened(null)}
      />
    </div>
  );
}

function Corner({ width, isActive }: { readonly width: number; readonly isActive: boolean }) {
  return (
    <div
      role="columnheader"
      aria-colindex={1}
      aria-label="Row number"
      tabIndex={isActive ? 0 : -1}
      data-position="-1 -1"
      className={styles.number}
      style={{ width }}
    >
      #
    </div>
  );
}
