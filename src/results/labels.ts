import type { ColumnDefinition } from '../catalog/query.ts';
import type { Column, LabelledColumn } from '../core/column.ts';

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

function label(columns: readonly Column[], definitions: readonly ColumnDefinition[]): readonly LabelledColumn[] {
  const displayNames = new Map<string, string>();
  for (const { name, displayName } of definitions)
    if (displayName && !displayNames.has(name)) displayNames.set(name, displayName);
  const names = columns.map((column) => displayNames.get(column.name) ?? column.name);

  // numbered labels must not equal the name of another column
  const reserved = new Set(names.filter((name) => name !== ''));
  const used = new Set<string>();
  const free = (label: string) => !reserved.has(label) && !used.has(label);
  return columns.map((column, index) => {
    const label = names[index] || `column_${index + 1}`;
    const isUsed = names[index] ? used.has(label) : !free(label);
    const unique = isUsed ? addNumber(label, free) : label;
    used.add(unique);
    return { name: column.name, type: column.type, kind: column.kind, label: unique };
  });
}

function addNumber(label: string, free: (label: string) => boolean): string {
  for (let number = 2; ; number++) if (free(`${label}_${number}`)) return `${label}_${number}`;
}
