import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Row } from '../app/wire.ts';
import { copyText } from '../components/copy/copy-text.ts';
import { countText } from '../components/count-text.ts';
import edges from '../components/lists/scroll-region.module.css';
import { filterOf, isArranged as isArrangedBy } from './arrange-rows.ts';
import { CellDialog } from './cell-dialog.tsx';
import { toCopyRows } from './cell-text.ts';
import { ColumnHeader } from './column-header.tsx';
import { GridBar } from './grid-bar.tsx';
import { type CellPosition, type CellRange, positionAfter, rangeOf } from './grid-keys.ts';
import { GridRow } from './grid-row.tsx';
import type { ArrangedViewProps } from './result-grid-props.ts';
import styles from './result-grid.module.css';
import { useColumnWidths } from './use-column-widths.ts';
import { useGridWindow } from './use-grid-window.ts';

const RESIZE_PX = 16;

/** A virtualized grid with keyboard navigation as in a spreadsheet. */
export function CellGrid({ arranged, notes, ...props }: ArrangedViewProps) {
  const { label, rows, firstRow = 0, totalRows = null, isStale = false, showRow = null, maxHeight = '65vh' } = props;
  const { columns, order, formatOf, arrangement } = arranged;
  const scroll = useRef<HTMLDivElement>(null);
  const shouldFocus = useRef(false);
  const keysId = useId();
  const [chosen, setChosen] = useState<CellPosition>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<CellPosition | null>(null); // the other corner of a selected range
  const [opened, setOpened] = useState<CellPosition | null>(null);
  const [options, setOptions] = useState<string | null>(null); // label of the column whose options are open
  const [announcement, setAnnouncement] = useState('');
  const { widths, change, fitColumn, drag } = useColumnWidths(columns, rows, formatOf);
  const active = { row: Math.min(chosen.row, order.length - 1), column: Math.min(chosen.column, columns.length - 1) };
  const range = rangeOf(anchor, active, columns.length);
  const numberWidth = 24 + String(firstRow + rows.length).length * 8;
  const view = useGridWindow(scroll, order.length, widths, numberWidth, active);
  const isArranged = isArrangedBy(arrangement);
  const rowAt = (position: number): Row | undefined => rows[order[position] ?? -1];
  const numberAt = (position: number): number => firstRow + (order[position] ?? 0) + 1;

  const moveTo = (position: CellPosition, extend = false) => {
    shouldFocus.current = true;
    setAnchor(extend ? (anchor ?? active) : null);
    setChosen(position);
    view.show(position);
  };
  useLayoutEffect(() => {
    if (!shouldFocus.current) return;
    shouldFocus.current = false;
    scroll.current?.querySelector<HTMLElement>(`[data-position="${chosen.row} ${chosen.column}"]`)?.focus();
  }, [chosen]);
  const show = useRef(view.show);
  show.current = view.show;
  const positionOf = useRef((index: number) => order.indexOf(index));
  positionOf.current = (index) => order.indexOf(index);
  // a new page starts at its first row unless another one was requested
  useEffect(() => {
    const row = showRow === null ? 0 : Math.max(0, positionOf.current(showRow));
    show.current({ row, column: -1 });
    setAnchor(null);
    setChosen((before) => ({ ...before, row }));
  }, [rows, showRow]);

  const readCells = (selected: CellRange, withHeader = false): string => {
    const from = columns.slice(selected.left, selected.right + 1);
    const chosenRows = order.slice(Math.max(0, selected.top), selected.bottom + 1).flatMap((index): Row[] => {
      const row = rows[index];
      return row === undefined ? [] : [row];
    });
    return toCopyRows(chosenRows, from, withHeader || selected.top < 0);
  };
  const rowRange = { ...range, left: 0, right: columns.length - 1 };
  const copy = async () => {
    const done = await copyText(readCells(range));
    setAnnouncement(done ? `${describeCopied(range)} copied` : 'The browser does not allow copying.');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, altKey } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const isHeader = active.row < 0 && active.column >= 0;
    const column = columns[active.column];
    if (altKey) return;
    if (isCommand && key === 'c' && (window.getSelection()?.isCollapsed ?? true)) void copy();
    else if (isCommand && key === 'a' && order.length > 0) {
      setAnchor({ row: 0, column: 0 });
      setChosen({ row: order.length - 1, column: columns.length - 1 });
    } else if (key === 'Enter' && active.row >= 0 && active.column >= 0) setOpened(active);
    else if (key === 'Enter' && isHeader && column !== undefined) setOptions(column.label);
    else if (key === ' ' && isHeader && column !== undefined) arranged.toggleSort(column.label);
    else if (shiftKey && isHeader && key === 'ArrowLeft') change(active.column, -RESIZE_PX);
    else if (shiftKey && isHeader && key === 'ArrowRight') change(active.column, RESIZE_PX);
    else {
      const extent = { rows: order.length, columns: columns.length, rowsOnScreen: view.rowsOnScreen };
      const position = positionAfter(active, event, extent);
      if (position === null) return;
      const extend = shiftKey && position.row >= 0 && position.column >= 0 && active.row >= 0;
      if (!shiftKey || extend) moveTo(position, extend);
    }
    event.preventDefault();
  };
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const position = positionIn(event.target);
    if (position !== null && (position.row !== active.row || position.column !== active.column)) {
      setAnchor(null);
      setChosen(position);
    }
  };
  /** Shift with a click selects the cells up to the clicked one, as does dragging. */
  const onPointer = (event: PointerEvent<HTMLElement>) => {
    const isDragged = event.type === 'pointerover' && event.buttons === 1 && event.pointerType === 'mouse';
    const isExtended = event.type === 'pointerdown' && event.shiftKey;
    if (!isDragged && !isExtended) return;
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[role="gridcell"]') : null;
    const position = cell === null ? null : positionIn(cell);
    if (position === null || active.row < 0 || active.column < 0) return;
    if (position.row === active.row && position.column === active.column) return;
    event.preventDefault();
    window.getSelection()?.removeAllRanges();
    moveTo(position, true);
  };
  const width = numberWidth + view.width;

  return (
    <div>
      <div className={edges.frame}>
        <div
          ref={scroll}
          role="grid"
          aria-label={label}
          aria-readonly
          aria-multiselectable
          aria-busy={isStale}
          aria-rowcount={isArranged ? order.length + 1 : totalRows === null ? -1 : totalRows + 1}
          aria-colcount={columns.length + 1}
          aria-describedby={keysId}
          tabIndex={-1}
          className={isStale ? `${styles.scroll} ${styles.stale}` : styles.scroll}
          style={{ maxHeight, scrollPaddingLeft: numberWidth }}
          onKeyDown={onKeyDown}
          onFocus={onFocus}
          onPointerDown={onPointer}
          onPointerOver={onPointer}
        >
          <div role="rowgroup" className={styles.head} style={{ width }}>
            <div role="row" aria-rowindex={1} tabIndex={-1} style={{ height: '100%' }}>
              <Corner width={numberWidth} isActive={active.row < 0 && active.column < 0} />
              {view.columns.map(({ index, start, size }) => {
                const column = columns[index];
                if (column === undefined) return null;
                return (
                  <ColumnHeader
                    key={column.label}
                    column={column}
                    index={index}
                    left={numberWidth + start}
                    width={size}
                    isActive={active.row < 0 && active.column === index}
                    isOpen={options === column.label}
                    sort={arrangement.sort?.label === column.label ? arrangement.sort : null}
                    filter={filterOf(arrangement.filters, column.label) ?? ''}
                    canHide={columns.length > 1}
                    onOpen={(isOpen) => setOptions(isOpen ? column.label : null)}
                    onToggleSort={() => arranged.toggleSort(column.label)}
                    onSort={(sort) => arranged.change({ sort })}
                    onFilter={(filter) => arranged.setFilter(column.label, filter)}
                    onHide={() => arranged.setHidden(new Set([...arranged.hidden, column.label]))}
                    onFit={() => fitColumn(index)}
                    onDrag={(event) => drag(index, event)}
                  />
                );
              })}
            </div>
          </div>
          <div role="rowgroup" className={styles.body} style={{ width, height: view.height }}>
            {view.rows.map(({ index, start }) => {
              const row = rowAt(index);
              if (row === undefined) return null;
              return (
                <GridRow
                  key={index}
                  row={row}
                  index={index}
                  ariaIndex={isArranged ? index + 2 : numberAt(index) + 1}
                  number={numberAt(index)}
                  top={start}
                  numberWidth={numberWidth}
                  columns={columns}
                  formatOf={formatOf}
                  visibleColumns={view.columns}
                  activeColumn={active.row === index ? active.column : null}
                  selected={anchor !== null && index >= range.top && index <= range.bottom ? range : null}
                  onOpen={(column) => setOpened({ row: index, column })}
                />
              );
            })}
          </div>
        </div>
      </div>
      {notes}
      <p id={keysId} hidden>
        Use the arrow keys to move, with Shift to select several cells. Enter shows the whole cell. Control C copies the selected
        cells, or the row if its number is selected. In the header, Space sorts, Enter opens the options of the column, and Shift
        with an arrow key changes its width.
      </p>
      <GridBar
        position={rowAt(active.row) === undefined ? null : positionText(range, numberAt(active.row))}
        column={anchor !== null ? null : (columns[active.column]?.label ?? null)}
        isRange={anchor !== null}
        announcement={announcement}
        readCell={() => readCells(active.column < 0 ? rowRange : range)}
        readRow={() => readCells(rowRange)}
        readWithHeader={() => readCells(range, true)}
        onOpen={() => setOpened({ ...active, column: Math.max(0, active.column) })}
      >
        {props.footer}
      </GridBar>
      <CellDialog
        column={opened === null ? undefined : columns[opened.column]}
        row={opened === null ? undefined : rowAt(opened.row)}
        number={opened === null ? 0 : numberAt(opened.row)}
        onClose={() => setOpened(null)}
      />
    </div>
  );
}

const countOf = ({ top, bottom, left, right }: CellRange): number => (bottom - Math.max(0, top) + 1) * (right - left + 1);

function describeCopied(range: CellRange): string {
  if (range.isRow) return 'Row';
  const count = countOf(range);
  return count <= 1 ? 'Cell' : countText(count, 'cell');
}

function positionText(range: CellRange, number: number): string {
  const count = countOf(range);
  return range.isRow || count <= 1 ? `Row ${number.toLocaleString('en')}` : countText(count, 'cell');
}

function positionIn(element: HTMLElement): CellPosition | null {
  const [row, column] = element.dataset.position?.split(' ').map(Number) ?? [];
  return row === undefined || column === undefined ? null : { row, column };
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
