import type { Row } from '../app/wire.ts';
import type { CellFormat } from './cell-format.ts';
import type { GridColumn } from './grid-column.ts';

/**
 * The columns of a result in order. The keys of a row are not enough, because JavaScript sorts numeric keys first.
 * Unknown columns in the rows are appended.
 */
export function gridColumns(known: readonly GridColumn[], rows: readonly Row[]): readonly GridColumn[] {
  const [first] = rows;
  if (first === undefined) return known;
  const labels = new Set(known.map(({ label }) => label));
  const others = Object.keys(first).filter((label) => !labels.has(label));
  return [
    ...known.filter(({ label }) => label in first),
    ...others.map((label) => ({ label, kind: kindOf(rows, label), type: '' })),
  ];
}

const CHARACTER_PX = 7.2;
const WIDE_CHARACTER_PX = 9; // digits and capitals
const FULL_WIDTH_PX = 15;
const PADDING_PX = 26;
const HEADER_BUTTON_PX = 40; // options and sort direction
const LEAST_PX = 64;
const MAX_PX = 360;
const LOOKED_AT = 100;

/** A width at which most of the first and last rows fit. */
export function measureFittingWidth(column: GridColumn, rows: readonly Row[], format: CellFormat, most = MAX_PX): number {
  let width = textWidth(column.label) * 1.08 + HEADER_BUTTON_PX; // bold
  const ends = rows.length <= 2 * LOOKED_AT ? rows : [...rows.slice(0, LOOKED_AT), ...rows.slice(-LOOKED_AT)];
  for (const row of ends) width = Math.max(width, textWidth(format(row[column.label]).text, most));
  return Math.round(Math.min(most, Math.max(LEAST_PX, width + PADDING_PX)));
}

/** A generous estimate, without measuring in the page. */
function textWidth(text: string, enough = Number.POSITIVE_INFINITY): number {
  let width = 0;
  for (const character of text) {
    width += /[0-9A-Z@%]/.test(character) ? WIDE_CHARACTER_PX : character < '\u1100' ? CHARACTER_PX : FULL_WIDTH_PX;
    if (width > enough) break;
  }
  return width;
}

function kindOf(rows: readonly Row[], label: string): string {
  const values = rows.slice(0, LOOKED_AT).map((row) => row[label]);
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.length === 0) return '';
  if (present.every((value) => typeof value === 'number')) return 'float';
  if (present.every((value) => typeof value === 'boolean')) return 'boolean';
  return present.every((value) => typeof value === 'object') ? 'json' : '';
}
