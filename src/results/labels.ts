import type { ColumnDefinition } from '../catalog/query.ts';
import type { Column, LabelledColumn } from './column.ts';

const known = new WeakMap<readonly Column[], { definitions: readonly ColumnDefinition[]; labelled: readonly LabelledColumn[] }>();

/**
 * Assigns a unique label to every column; the first of several equal names keeps it, the others get a number. Cached: the runs of a
 * prepared statement share their columns, and thus their labels and everything that is cached by them.
 */
export function labelColumns(columns: readonly Column[], definitions: readonly ColumnDefinition[]): readonly LabelledColumn[] {
  const before = known.get(columns);
  if (before?.definitions === definitions) return before.labelled;
  const labelled = label(columns, definitions);
  known.set(columns, { definitions, labelled });
  return labelled;
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
    const label = names[index] || firstFree(`column_${index + 1}`, free);
    const unique = used.has(label) ? numbered(label, free) : label;
    used.add(unique);
    return { name: column.name, type: column.type, kind: column.kind, label: unique };
  });
}

const firstFree = (label: string, free: (label: string) => boolean) => (free(label) ? label : numbered(label, free));

function numbered(label: string, free: (label: string) => boolean): string {
  for (let number = 2; ; number++) if (free(`${label}_${number}`)) return `${label}_${number}`;
}
