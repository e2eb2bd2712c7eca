import type { ColumnDefinition } from '../catalog/query.ts';
import type { Column, LabelledColumn } from './column.ts';

const known = new WeakMap<readonly Column[], { definitions: readonly ColumnDefinition[]; labelled: readonly LabelledColumn[] }>();

/**
 * Gives every column the one name that readers see. Where two would share it, the first in order keeps it. A prepared statement has the
 * same columns at every run, and they get the same labels then: what is made of those is made once too.
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
  const wished = columns.map((column) => displayNames.get(column.name) ?? column.name);

  // What the columns are called by themselves is reserved before a number is added to any of them.
  const reserved = new Set(wished.filter((label) => label !== ''));
  const given = new Set<string>();
  const free = (label: string) => !reserved.has(label) && !given.has(label);
  return columns.map((column, index) => {
    const label = wished[index] || firstFree(`column_${index + 1}`, free);
    const unique = given.has(label) ? numbered(label, free) : label;
    given.add(unique);
    return { name: column.name, type: column.type, kind: column.kind, label: unique };
  });
}

const firstFree = (label: string, free: (label: string) => boolean) => (free(label) ? label : numbered(label, free));

function numbered(label: string, free: (label: string) => boolean): string {
  for (let number = 2; ; number++) if (free(`${label}_${number}`)) return `${label}_${number}`;
}
