import type { Row } from '../app/wire.ts';
import type { CellFormat } from './cell-format.ts';
import type { GridColumn } from './grid-column.ts';

/**
 * The columns of a result in order. The keys of a row are not enough, because JavaScript sorts numeric keys first.
 * Columns of the rows that are not known are appended.
 */
export function listGridColumns(known: readonly GridColumn[], rows: readonly Row[]): readonly GridColumn[] {
  const [first] = rows;
  if (first === undefined) return known;
  const labels = new Set(known.map(({ label }) => label));
  const others = Object.keys(first).filter((label) => !labels.has(label));
  return [
    ...known.filter(({ label }) => Object.hasOwn(first, label)),
    ...others.map((label) => ({ label, kind: inferKind(rows, label), type: '' })),
  ];
}

const CHARACTER_PX = 7.2;
const WIDE_CHARACTER_PX = 9; // digits and capitals
const PERCENT_PX = 13;
const FULL_WIDTH_PX = 15;
const PADDING_PX = 26;
const HEADER_BUTTON_PX = 58; // options and sort direction
const MIN_PX = 64;
const MAX_PX = 360;
const SAMPLED_ROWS = 100;

/** Estimates the width at which the label and the first and last rows fit. */
export function estimateWidth(column: GridColumn, rows: readonly Row[], format: CellFormat, max = MAX_PX): number {
  let width = estimateTextWidth(column.label) * 1.08 + HEADER_BUTTON_PX; // bold
  const ends = rows.length <= 2 * SAMPLED_ROWS ? rows : [...rows.slice(0, SAMPLED_ROWS), ...rows.slice(-SAMPLED_ROWS)];
  for (const row of ends) width = Math.max(width, estimateTextWidth(format(row[column.label]).text, max));
  return Math.round(Math.min(max, Math.max(MIN_PX, width + PADDING_PX)));
}

/** Estimates generously, without measuring in the page. */
function estimateTextWidth(text: string, limit = Number.POSITIVE_INFINITY): number {
  let width = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > limit) break;
  }
  return width;
}

function characterWidth(character: string): number {
  if (character === '%') return PERCENT_PX;
  if (/[0-9A-Z@+]/.test(character)) return WIDE_CHARACTER_PX;
  return character < '\u1100' ? CHARACTER_PX : FULL_WIDTH_PX;
}

function inferKind(rows: readonly Row[], label: string): string {
  const values = rows.slice(0, SAMPLED_ROWS).map((row) => row[label]);
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.length === 0) return '';
  if (present.every((value) => typeof value === 'number')) return 'float';
  if (present.every((value) => typeof value === 'boolean')) return 'boolean';
  return present.every((value) => typeof value === 'object') ? 'json' : '';
}
