import { Paper, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import type { Query, Row } from '../app/wire.ts';
import { listGridColumns } from '../grid/grid-columns.ts';

const ResultGrid = lazy(() => import('../grid/result-grid.tsx').then((module) => ({ default: module.ResultGrid })));

export interface ListTableProps {
  readonly query: Query;
  readonly rows: readonly Row[];
  readonly isWhole: boolean;
}

/** The rows of a result that has nothing to measure, in place of a chart. */
export function ListTable({ query: { name, resultColumns }, rows, isWhole }: ListTableProps) {
  const columns = useMemo(() => listGridColumns(resultColumns ?? [], rows), [resultColumns, rows]);
  return (
    <Paper withBorder p="sm" component="section" aria-label="Preview">
      <Stack gap="xs">
        <Text size="sm">
          This result is a list: no column can be measured, so it is shown as a table. To count its rows, choose a Label Column
          and a Data Column.
        </Text>
        <Suspense fallback={<Skeleton height={320} />}>
          <ResultGrid label={name} columns={columns} rows={rows} totalRows={isWhole ? rows.length : null} maxHeight={420} />
        </Suspense>
      </Stack>
    </Paper>
  );
}
