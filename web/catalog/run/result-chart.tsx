import { Button, Group, Paper, Skeleton, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { notes } from '../../../src/charts/notes.ts';
import type { Query } from '../../app/wire.ts';
import type { ChartContent } from '../../chart/interactive-chart.ts';
import { LazyChart } from '../../chart/lazy-chart.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconChartBar, IconTableOff } from '../../components/icons.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { handOverShown } from '../../components/run/shown-result.ts';
import { useSearchParams } from '../../components/use-search-params.ts';
import type { ShownResult } from '../../grid/shown-result.ts';
import type { ResultPages } from '../../grid/use-result-pages.ts';
import { useResultChart } from './use-result-chart.ts';

export interface ResultChartProps {
  readonly query: Query;
  readonly shown: ShownResult;
  readonly noteTotal: ResultPages['noteTotal'];
}

/** The chart of the result, as its author or the suggestion has it. Query To Chart changes and shares it. */
export function ResultChart({ query, shown, noteTotal }: ResultChartProps) {
  const [allLabels, setAllLabels] = useState(false);
  const { content, hasChart, isLoading, error } = useResultChart(query, shown, allLabels);
  const totalRows = content === null ? 0 : countRows(content.data);
  const [{ view: _, ...values }] = useSearchParams();
  useEffect(() => {
    if (totalRows > 0) noteTotal(totalRows);
  }, [totalRows, noteTotal]);
  if (isLoading || (content === null && hasChart && error === null))
    return <Skeleton height={400} role="status" aria-label="Loading the chart" />;
  if (error !== null) return <ProblemAlert error={error} title="The chart cannot be drawn" />;
  if (content === null)
    return (
      <Paper withBorder>
        <EmptyState title="No chart" icon={IconTableOff}>
          This result is best read as a table.
        </EmptyState>
      </Paper>
    );
  return (
    <Stack gap="xs">
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <LazyChart {...content} onShowAll={() => setAllLabels(true)} />
      </Paper>
      <Group justify="flex-end" className="no-print">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconChartBar size={14} aria-hidden />}
          onClick={() => handOverShown(query.queryName)}
          renderRoot={(props) => <Link to="/query-to-chart" search={{ query: query.queryName, ...values }} {...props} />}
        >
          Change or share this chart
        </Button>
      </Group>
    </Stack>
  );
}

/** 0: not known, because a chart of single rows may have been read in part. */
const countRows = ({ rowsRead, notes: said }: ChartContent['data']): number =>
  said.includes(notes.onlyFirst(rowsRead)) ? 0 : rowsRead;
