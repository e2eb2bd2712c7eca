import type { Row } from '../app/wire.ts';
import type { GridColumn } from './grid-column.ts';

export interface Cell {
  readonly text: string;
  readonly nature: 'null' | 'number' | 'boolean' | 'json' | 'text';
}

/** The text of a cell as delivered. Keeps every digit, and restores the trailing zeros of decimals that JSON numbers lose. */
export function cellOf(value: unknown, { kind, type }: GridColumn): Cell {
  if (value === null || value === undefined) return { text: 'NULL', nature: 'null' };
  if (typeof value === 'object') return { text: JSON.stringify(value), nature: 'json' };
  if (typeof value === 'boolean') return { text: String(value), nature: 'boolean' };
  if (kind === 'decimal') return { text: withScale(String(value), scaleOf(type)), nature: 'number' };
  // a whole number too large for JavaScript arrives as a string
  if (typeof value === 'number' || kind === 'integer' || kind === 'float') return { text: String(value), nature: 'number' };
  if (kind === 'timestamp' || kind === 'timestamptz') return { text: String(value).replace('T', ' '), nature: 'text' };
  return { text: String(value), nature: 'text' };
}

/** The text to copy: empty for NULL. */
export function toCopyText(value: unknown, column: GridColumn): string {
  const { text, nature } = cellOf(value, column);
  return nature === 'null' ? '' : text;
}

/** Cells for spreadsheets: tab-separated, with quotes around those that contain a tab, a quote or a line break. One cell stays as it is. */
export function toCopyRows(rows: readonly Row[], columns: readonly GridColumn[], withHeader: boolean): string {
  const [row, column] = [rows[0], columns[0]];
  if (!withHeader && rows.length === 1 && columns.length === 1 && row !== undefined && column !== undefined)
    return toCopyText(row[column.label], column);
  const lines = rows.map((each) => columns.map((of) => quoteForSheet(toCopyText(each[of.label], of))).join('\t'));
  const header = columns.map(({ label }) => quoteForSheet(label)).join('\t');
  return (withHeader ? [header, ...lines] : lines).join('\n');
}

/** The whole content of a cell. */
export function toFullText(value: unknown, column: GridColumn): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : cellOf(value, column).text;
}

const quoteForSheet = (text: string): string => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const scaleOf = (type: string): number => Number(/\(\s*\d+\s*,\s*(\d+)\s*\)/.exec(type)?.[1] ?? 0);

function withScale(number: string, scale: number): string {
  if (scale === 0 || !/^-?\d+(\.\d+)?$/.test(number)) return number;
  const [whole = '', fraction = ''] = number.split('.');
  return `${whole}.${fraction.padEnd(scale, '0')}`;
}
