import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type RefObject, useEffect } from 'react';
import type { CellPosition } from './grid-keys.ts';

const ROW_PX = 32;
const HEAD_PX = 36;

export interface GridWindow {
  readonly rows: readonly VirtualItem[];
  readonly columns: readonly VirtualItem[];
  readonly height: number; // of all rows
  readonly width: number; // of all columns
  readonly rowsOnScreen: number;
  readonly show: (position: CellPosition) => void;
}

/** Renders only the visible rows and columns, and the focused cell. */
export function useGridWindow(
  scroll: RefObject<HTMLDivElement | null>,
  rowCount: number,
  widths: readonly number[],
  numberWidth: number,
  active: CellPosition,
): GridWindow {
  const rows = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    scrollPaddingEnd: HEAD_PX + 2, // the header covers the top
    rangeExtractor: (range) => includeIndex(active.row, range),
  });
  const columns = useVirtualizer({
    horizontal: true,
    count: widths.length,
    getScrollElement: () => scroll.current,
    estimateSize: (index) => widths[index] ?? 0,
    overscan: 3,
    scrollPaddingEnd: numberWidth + 2,
    rangeExtractor: (range) => includeIndex(active.column, range),
  });
  // measures again when the widths change
  useEffect(() => columns.measure(), [widths, columns]);
  const visibleHeight = (rows.scrollRect?.height ?? 0) - HEAD_PX;
  return {
    rows: rows.getVirtualItems(),
    columns: columns.getVirtualItems(),
    height: rows.getTotalSize(),
    width: widths.reduce((sum, width) => sum + width, 0),
    rowsOnScreen: Math.max(1, Math.floor(visibleHeight / ROW_PX) - 1),
    show: ({ row, column }) => {
      if (row >= 0) rows.scrollToIndex(row);
      if (column >= 0) columns.scrollToIndex(column);
    },
  };
}

function includeIndex(index: number, range: Range): number[] {
  const visible = defaultRangeExtractor(range);
  if (index < 0 || index >= range.count || visible.includes(index)) return visible;
  return [...visible, index].sort((a, b) => a - b);
}
