import type { VirtualItem } from '@tanstack/react-virtual';
import type { Row } from '../app/wire.ts';
import { cellOf } from './cell-text.ts';
import type { GridColumn } from './grid-column.ts';
import { isNumeric } from './grid-columns.ts';
import styles from './result-grid.module.css';

export interface GridRowProps {
  readonly row: Row;
  readonly index: number;
  readonly number: number; // in the whole result, from 1
  readonly top: number;
  readonly numberWidth: number;
  readonly columns: readonly GridColumn[];
  readonly inSight: readonly VirtualItem[];
  readonly activeColumn: number | null;
  readonly onOpen: (column: number) => void;
}

export function GridRow(props: GridRowProps) {
  const { row, index, number, top, numberWidth, columns, inSight, activeColumn, onOpen } = props;
  return (
    <div role="row" aria-rowindex={number + 1} tabIndex={-1} className={styles.row} style={{ top }}>
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
      {inSight.map(({ index: at, start, size }) => {
        const column = columns[at];
        if (column === undefined) return null;
        const { text, nature } = cellOf(row[column.label], column);
        const isActive = activeColumn === at;
        const classes = [
          styles.cell,
          isNumeric(column) || nature === 'number' ? styles.right : '',
          nature === 'null' ? styles.null : '',
          nature === 'json' ? styles.json : '',
          isActive ? styles.active : '',
        ];
        return (
          <div
            key={column.label}
            role="gridcell"
            aria-colindex={at + 2}
            tabIndex={isActive ? 0 : -1}
            data-position={`${index} ${at}`}
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
