import type { VirtualItem } from '@tanstack/react-virtual';
import type { Row } from '../app/wire.ts';
import type { CellFormat } from './cell-format.ts';
import { type GridColumn, isNumeric } from './grid-column.ts';
import type { CellRange } from './grid-keys.ts';
import styles from './result-grid.module.css';

export interface GridRowProps {
  readonly row: Row;
  readonly index: number;
  readonly ariaIndex: number;
  readonly number: number; // in the whole result, from 1
  readonly top: number;
  readonly numberWidth: number;
  readonly columns: readonly GridColumn[];
  readonly formatOf: (column: GridColumn) => CellFormat;
  readonly visibleColumns: readonly VirtualItem[];
  readonly activeColumn: number | null;
  readonly selected: CellRange | null; // cells of this row are selected
  readonly onOpen: (column: number) => void;
}

export function GridRow(props: GridRowProps) {
  const { row, index, ariaIndex, number, top, numberWidth, columns, formatOf, visibleColumns, activeColumn, selected, onOpen } =
    props;
  return (
    <div role="row" aria-rowindex={ariaIndex} tabIndex={-1} className={styles.row} style={{ top }}>
      <div
        role="rowheader"
        aria-colindex={1}
        tabIndex={activeColumn === -1 ? 0 : -1}
        data-position={`${index} -1`}
        className={activeColumn === -1 ? `${styles.number} ${styles.active}` : styles.number}
        style={{ width: numberWidth }}
      >
        {number.toLocaleString('en')}
      </div>
      {visibleColumns.map(({ index: at, start, size }) => {
        const column = columns[at];
        if (column === undefined) return null;
        const value = row[column.label];
        const { text, nature, isRounded = false } = formatOf(column)(value);
        const isActive = activeColumn === at;
        const isSelected = selected !== null && at >= selected.left && at <= selected.right;
        const classes = [
          styles.cell,
          isNumeric(column) || nature === 'number' ? styles.right : '',
          nature === 'null' ? styles.null : '',
          nature === 'json' ? styles.json : '',
          isActive ? styles.active : '',
          isSelected ? styles.selected : '',
        ];
        return (
          <div
            key={column.label}
            role="gridcell"
            aria-colindex={at + 2}
            aria-selected={isSelected || isActive}
            tabIndex={isActive ? 0 : -1}
            data-position={`${index} ${at}`}
            {...(isRounded ? { title: String(value) } : {})}
            className={classes.filter((name) => name !== '').join(' ')}
            style={{ left: numberWidth + start, width: size }}
            onDoubleClick={() => onOpen(at)}
          >
            <span>{text}</span>
          </div>
        );
      })}
    </div>
  );
}
