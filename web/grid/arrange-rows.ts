import type { Row } from '../app/wire.ts';
import { foldText } from '../components/matches-text.ts';
import type { CellFormat } from './cell-format.ts';
import { cellOf } from './cell-text.ts';
import { type GridColumn, isNumeric } from './grid-column.ts';

export interface Sort {
  readonly label: string; // of the column
  readonly descending: boolean;
}

/** How the loaded rows are arranged. Filters are by column label. */
export interface Arrangement {
  readonly sort: Sort | null;
  readonly search: string; // in any column that is not hidden
  readonly filters: Readonly<Record<string, string>>;
}

export const asDelivered: Arrangement = { sort: null, search: '', filters: {} };

export const isFiltered = ({ search, filters }: Arrangement): boolean => search.trim() !== '' || Object.keys(filters).length > 0;

export const isArranged = (arrangement: Arrangement): boolean => arrangement.sort !== null || isFiltered(arrangement);

/** A column may be named `constructor`. */
export const filterOf = (filters: Arrangement['filters'], label: string): string | undefined =>
  Object.hasOwn(filters, label) ? filters[label] : undefined;

/** The indexes of the rows to show, in order. */
export function arrangeRows(
  rows: readonly Row[],
  { all, searched }: { readonly all: readonly GridColumn[]; readonly searched: readonly GridColumn[] },
  { sort, search, filters }: Arrangement,
  formatOf: (column: GridColumn) => CellFormat,
): readonly number[] {
  const tests = all.flatMap((column) => {
    const filter = filterOf(filters, column.label);
    return filter === undefined ? [] : [{ column, test: cellTest(filter, column, formatOf(column)) }];
  });
  const words = search.trim();
  const inAny = words === '' ? [] : searched.map((column) => ({ column, test: contains(words, column, formatOf(column)) }));
  const found = rows.flatMap((row, index) => {
    const isFound =
      tests.every(({ column, test }) => test(row[column.label])) &&
      (words === '' || inAny.some(({ column, test }) => test(row[column.label])));
    return isFound ? [index] : [];
  });
  const by = all.find(({ label }) => label === sort?.label);
  if (sort === null || by === undefined) return found;
  const compare = createOrder(by);
  return found.toSorted((a, b) => {
    const [left, right] = [rows[a]?.[by.label] ?? null, rows[b]?.[by.label] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null) || a - b; // NULL comes last
    return (sort.descending ? -compare(left, right) : compare(left, right)) || a - b;
  });
}

type CellTest = (value: unknown) => boolean;

/**
 * `>10`, `<=5`, `=7` and `10..20` compare numbers and dates; `=` finds empty cells and `<>` the others; any other text is searched.
 * Dates compare as far as they are written: `=2026-01` is the month.
 */
function cellTest(filter: string, column: GridColumn, format: CellFormat): CellTest {
  const text = filter.trim();
  if (text === '=') return isEmpty;
  if (text === '<>') return (value) => !isEmpty(value);
  const dots = text.indexOf('..');
  const [from, to] = dots < 1 ? [] : [text.slice(0, dots).trimEnd(), text.slice(dots + 2).trimStart() || undefined];
  const [, sign = '', operand] = /^(>=|<=|<>|>|<|=)\s*(\S.*)?$/s.exec(text) ?? [];
  const toFrom = from === undefined ? null : createComparison(from, column);
  const toEnd = to === undefined ? null : createComparison(to, column);
  if (toFrom !== null && toEnd !== null) return (value) => !isEmpty(value) && toFrom(value) >= 0 && toEnd(value) <= 0;
  const compare = operand === undefined ? null : createComparison(operand, column);
  const accepts = signs[sign];
  if (compare !== null && accepts !== undefined) return (value) => !isEmpty(value) && accepts(compare(value));
  return contains(text, column, format);
}

const signs: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** The order of a value and what the reader wrote; null if they cannot be compared. */
function createComparison(written: string, column: GridColumn): ((value: unknown) => number) | null {
  if (isNumeric(column))
    return Number.isNaN(Number(written)) || written === '' ? null : (value) => compareNumbers(value, written);
  if (isMoment(column)) {
    const wanted = written.replace(' ', 'T');
    return (value) => compareTexts(String(value).slice(0, wanted.length), wanted);
  }
  return (value) => collator.compare(textOf(value), written);
}

/** Finds the text as shown and as delivered, ignoring case and accents. */
function contains(text: string, column: GridColumn, format: CellFormat): CellTest {
  const wanted = foldText(text);
  const texts = searched.get(format) ?? new Map<unknown, string>();
  searched.set(format, texts);
  const textsOf = (value: unknown): string => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const folded = `${foldText(format(value).text)}\n${foldText(cellOf(value, column).text)}`;
    texts.set(value, folded);
    return folded;
  };
  return (value) => value !== null && value !== undefined && textsOf(value).includes(wanted);
}

/** The texts of values, as long as their format is used: writing them for all rows at every key would take a second. */
const searched = new WeakMap<CellFormat, Map<unknown, string>>();

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Large numbers are texts; those that are equal up to rounding are compared by their digits. */
function compareNumbers(a: unknown, b: unknown): number {
  const difference = Number(a) - Number(b);
  return difference === 0 || Number.isNaN(difference) ? collator.compare(String(a), String(b)) : difference;
}

function createOrder(column: GridColumn): (a: unknown, b: unknown) => number {
  if (isNumeric(column)) return compareNumbers;
  return isMoment(column) ? (a, b) => compareTexts(String(a), String(b)) : (a, b) => collator.compare(textOf(a), textOf(b));
}

const isMoment = ({ kind }: GridColumn): boolean => /^(date|timestamp|timestamptz|time)$/.test(kind);

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
