/** Row -1 is the header, column -1 the row number. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
  readonly rowsOnScreen: number;
}

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

export interface CellRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  readonly isRow: boolean; // a row by its number
}

/** The cells between two corners; without an anchor the active cell alone, or its row if the row number is active. */
export function rangeOf(anchor: CellPosition | null, active: CellPosition, columns: number): CellRange {
  const from = anchor ?? active;
  const isRow = anchor === null && active.column < 0;
  return {
    top: Math.min(from.row, active.row),
    bottom: Math.max(from.row, active.row),
    left: isRow ? 0 : Math.max(0, Math.min(from.column, active.column)),
    right: isRow ? columns - 1 : Math.max(from.column, active.column),
    isRow,
  };
}

/** The position after a key press, as in a spreadsheet; null: not a navigation key. */
export function positionAfter(
  { row, column }: CellPosition,
  pressed: Pressed,
  { rows, columns, rowsOnScreen }: Extent,
): CellPosition | null {
  const far = pressed.ctrlKey || pressed.metaKey;
  const to = (nextRow: number, nextColumn: number): CellPosition => ({
    row: Math.max(-1, Math.min(rows - 1, nextRow)),
    column: Math.max(-1, Math.min(columns - 1, nextColumn)),
  });
  switch (pressed.key) {
    case 'ArrowUp':
      return to(far ? 0 : row - 1, column);
    case 'ArrowDown':
      return to(far ? rows - 1 : row + 1, column);
    case 'ArrowLeft':
      return to(row, far ? 0 : column - 1);
    case 'ArrowRight':
      return to(row, far ? columns - 1 : column + 1);
    case 'Home':
      return to(far ? 0 : row, 0);
    case 'End':
      return to(far ? rows - 1 : row, columns - 1);
    case 'PageUp':
      return to(Math.max(0, row - rowsOnScreen), column);
    case 'PageDown':
      return to(row + rowsOnScreen, column);
    default:
      return null;
  }
}
