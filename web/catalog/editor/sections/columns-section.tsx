import { Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { type ColumnDraft, hasSettings, withColumn } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { Section } from './section.tsx';

// only for queries with known columns
const ColumnsTable = lazy(() => import('./columns-table.tsx').then((module) => ({ default: module.ColumnsTable })));

export interface ColumnsSectionProps {
  readonly editor: QueryEditor;
  readonly previewed: readonly { readonly name: string; readonly type: string }[];
  readonly readOnly: boolean;
}

/** The display name, class and format of each column. The columns are known after a validation or a preview. */
export function ColumnsSection({ editor, previewed, readOnly }: ColumnsSectionProps) {
  const { draft, change, errors, saved } = editor;
  const validated = saved?.target.resultColumns ?? null;
  const found = new Map([
    ...(validated ?? []).map((column) => [column.name, column.type] as const),
    ...(validated === null ? previewed.map(({ name }) => [name, ''] as const) : []),
  ]);
  const columns: readonly ColumnDraft[] = [
    ...[...found.keys()].map(
      (name) => draft.columns.find((column) => column.name === name) ?? { name, displayName: '', type: null, format: null },
    ),
    ...draft.columns.filter(({ name }) => !found.has(name)),
  ];
  const sent = draft.columns.filter(hasSettings);
  const errorOf = (name: string, field: string) => errors[`columns.${sent.findIndex((column) => column.name === name)}.${field}`];
  return (
    <Section title="Columns" description="The names that users see, how charts use each column, and how its values are shown.">
      {columns.length === 0 ? (
        <Text size="sm">Validate or preview the query to see its columns.</Text>
      ) : (
        <Suspense fallback={<Skeleton height={160} role="status" aria-label="Loading the columns" />}>
          <ColumnsTable
            columns={columns}
            found={found}
            onChange={(column) => change((before) => withColumn(before, column))}
            errorOf={errorOf}
            readOnly={readOnly}
          />
        </Suspense>
      )}
    </Section>
  );
}
