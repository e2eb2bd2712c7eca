import type { ColumnDefinition } from '../catalog/query.ts';
import type { ColumnFormat } from '../core/column-format.ts';
import type { Column, LabeledColumn } from '../core/column.ts';
import type { SqlValue } from '../core/sql-value.ts';
import type { RowBatch } from './row-stream.ts';

/**
 * Assigns a unique label to every column; the first of several equal names keeps it, the others get a number. Cached: the runs of a
 * prepared statement share their columns, and thus their labels and everything that is cached by them.
 */
export const labelColumns = cacheByColumns(label);

/** Caches what `make` returns for the same columns and definitions. */
export function cacheByColumns<C extends Column, T>(
  make: (columns: readonly C[], definitions: readonly ColumnDefinition[]) => T,
) {
  const cache = new WeakMap<readonly C[], { definitions: readonly ColumnDefinition[]; made: T }>();
  return (columns: readonly C[], definitions: readonly ColumnDefinition[]): T => {
    const before = cache.get(columns);
    if (before?.definitions === definitions) return before.made;
    const made = make(columns, definitions);
    cache.set(columns, { definitions, made });
    return made;
  };
}

function label(columns: readonly Column[], definitions: readonly ColumnDefinition[]): readonly LabeledColumn[] {
  const displayNames = new Map<string, string>();
  const formats = new Map<string, ColumnFormat>();
  for (const { name, displayName, format } of definitions) {
    if (displayName && !displayNames.has(name)) displayNames.set(name, displayName);
    if (format && !formats.has(name)) formats.set(name, format);
  }
  const names = columns.map((column) => displayNames.get(column.name) ?? column.name);

  // numbered labels must not equal the name of another column
  const reserved = new Set(names.filter((name) => name !== ''));
  const used = new Set<string>();
  const free = (label: string) => !reserved.has(label) && !used.has(label);
  const numbers = new Map<string, number>(); // the last one of a label: trying all of them again is slow for thousands of equal names
  const addNumber = (label: string): string => {
    let number = numbers.get(label) ?? 1;
    do number++;
    while (!free(`${label}_${number}`));
    numbers.set(label, number);
    return `${label}_${number}`;
  };
  return columns.map((column, index) => {
    const label = names[index] || `column_${index + 1}`;
    const isUsed = names[index] ? used.has(label) : !free(label);
    const unique = isUsed ? addNumber(label) : label;
    used.add(unique);
    const format = formats.get(column.name);
    return { name: column.name, type: column.type, kind: column.kind, label: unique, ...(format && { format }) };
  });
}

/** The class of a column as reported to callers of charts. */
export type ColumnClass = 'categorical' | 'numeric';

/** How a chart uses a column: a time is categorical but has a time axis; an id is never a measure, even if it is numeric. */
export type ColumnNature = 'time' | 'text' | 'boolean' | 'id' | 'number';

/** The kind of the non-null values of a column. Only columns without a declared type are inspected; the others stay `nothing`. */
export type ValuesSeen = 'nothing' | 'whole numbers' | 'numbers' | 'booleans' | 'others';

export interface ClassifiedColumn extends LabeledColumn {
  readonly class: ColumnClass;
  readonly nature: ColumnNature;
}

export interface ValueObserver {
  look(batch: RowBatch, row: number): void;
  /** By column; empty if no column needs it. */
  seen(): readonly ValuesSeen[];
}

export function observeValues(columns: readonly Column[]): ValueObserver {
  if (!columns.some(({ kind }) => kind === 'undeclared')) return inactive;
  const seen: ValuesSeen[] = columns.map(() => 'nothing');
  const undeclared = columns.flatMap((column, index) => (column.kind === 'undeclared' ? [index] : []));
  return {
    look(batch, row) {
      for (const column of undeclared) {
        const before = seen[column] ?? 'nothing';
        if (before !== 'others') seen[column] = combineSeen(before, kindOf(batch.value(row, column)));
      }
    },
    seen: () => seen,
  };
}

/** For results whose types are all declared. */
const inactive: ValueObserver = { look: () => undefined, seen: () => [] };

function kindOf(value: SqlValue): ValuesSeen {
  if (value === null) return 'nothing';
  if (typeof value === 'boolean') return 'booleans';
  if (typeof value === 'bigint') return 'whole numbers';
  if (typeof value === 'number') return Number.isInteger(value) ? 'whole numbers' : 'numbers';
  return 'others';
}

function combineSeen(before: ValuesSeen, now: ValuesSeen): ValuesSeen {
  if (now === 'nothing' || now === before) return before;
  if (before === 'nothing') return now;
  const bothNumbers = isNumbers(before) && isNumbers(now);
  return bothNumbers ? 'numbers' : 'others';
}

const isNumbers = (seen: ValuesSeen) => seen === 'numbers' || seen === 'whole numbers';
