import { type PointerEvent, useCallback, useState } from 'react';
import type { Row } from '../app/wire.ts';
import type { CellFormat } from './cell-format.ts';
import type { GridColumn } from './grid-column.ts';
import { estimateWidth } from './grid-columns.ts';

const MIN_PX = 40;
const MAX_FITTED_PX = 800;

export interface ColumnWidths {
  readonly widths: readonly number[];
  readonly change: (column: number, by: number) => void;
  /** Fits the column to its cells. */
  readonly fitColumn: (column: number) => void;
  /** Resizes the column while the pointer is dragged. */
  readonly drag: (column: number, event: PointerEvent<HTMLElement>) => void;
}

/** Column widths: fitted to the first rows until the user changes them, and kept on the next page. */
export function useColumnWidths(
  columns: readonly GridColumn[],
  rows: readonly Row[],
  formatOf: (column: GridColumn) => CellFormat,
): ColumnWidths {
  const of = `${rows.length === 0}\n${columns.map(({ label }) => label).join('\n')}`;
  const [state, setState] = useState(() => ({ of, widths: fitWidths(columns, rows, formatOf) }));
  const current = state.of === of ? state : { of, widths: fitWidths(columns, rows, formatOf) };
  if (current !== state) setState(current);

  const set = useCallback((column: number, width: (before: number) => number) => {
    setState((before) => ({
      ...before,
      widths: before.widths.map((each, index) => (index === column ? Math.max(MIN_PX, Math.round(width(each))) : each)),
    }));
  }, []);
  const drag = (column: number, event: PointerEvent<HTMLElement>) => {
    const from = event.clientX;
    const startWidth = current.widths[column] ?? MIN_PX;
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const move = ({ clientX }: globalThis.PointerEvent) => set(column, () => startWidth + clientX - from);
    const end = () => {
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('pointerup', end);
      handle.removeEventListener('pointercancel', end);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', end);
    handle.addEventListener('pointercancel', end);
  };
  return {
    widths: current.widths,
    change: (column, by) => set(column, (before) => before + by),
    fitColumn: (column) => {
      const wanted = columns[column];
      if (wanted !== undefined) set(column, () => estimateWidth(wanted, rows, formatOf(wanted), MAX_FITTED_PX));
    },
    drag,
  };
}

const fitWidths = (
  columns: readonly GridColumn[],
  rows: readonly Row[],
  formatOf: (column: GridColumn) => CellFormat,
): readonly number[] => columns.map((column) => estimateWidth(column, rows, formatOf(column)));
