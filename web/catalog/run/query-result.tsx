import { Button, Group, Paper, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { useSession } from '../../app/session.tsx';
import type { Query, SentParameter } from '../../app/wire.ts';
import { preloadChart } from '../../chart/lazy-chart.tsx';
import { CurlButton } from '../../components/copy/curl-button.tsx';
import { countText } from '../../components/count-text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { isShownAtFields } from '../../components/fields/field-errors.ts';
import { IconChartBar, IconClock, IconPlayerPlay, IconTable, IconTableOff } from '../../components/icons.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { CancelledNote } from '../../components/run/cancelled-note.tsx';
import { durationText } from '../../components/run/elapsed.tsx';
import { IncompleteNote } from '../../components/run/incomplete-note.tsx';
import { partsOf } from '../../components/run/use-run-query.ts';
import { Time } from '../../components/time.tsx';
import { useSearchParams } from '../../components/use-search-params.ts';
import { listGridColumns } from '../../grid/grid-columns.ts';
import { Pager } from '../../grid/pager.tsx';
import type { ResultPages } from '../../grid/use-result-pages.ts';

const loadGrid = () => import('../../grid/result-grid.tsx');
const ResultChart = lazy(() => import('./result-chart.tsx').then((module) => ({ default: module.ResultChart })));
const ResultGrid = lazy(() => loadGrid().then((module) => ({ default: module.ResultGrid })));

/** The form whose Run button the result repeats. */
export const RUN_FORM = 'run-query';

export interface QueryResultProps {
  readonly query: Query;
  readonly pages: ResultPages;
}

export function QueryResult({ query, pages, onRetry }: QueryResultProps & { readonly onRetry: () => void }) {
  const { run, shown, earlier } = pages;
  useEffect(() => void loadGrid(), []); // while the query runs
  const names = query.parameters.map(({ name }) => name);
  return (
    <Stack gap="sm">
      {run.problem !== null && !isShownAtFields(run.problem, names) && (
        <ProblemAlert
          error={run.problem}
          {...(run.problem.status === 403 ? { title: `You cannot run ${query.name}` } : {})}
          shownAtFields={names}
          onRetry={onRetry}
          isRun
        />
      )}
      <CancelledNote afterMs={run.state === 'cancelled' ? run.durationMs : null} keepsResult={shown !== null} />
      {shown === null && earlier === 'loading' && <Skeleton height={320} role="status" aria-label="Loading the result" />}
      {shown === null && earlier !== 'loading' && run.state === 'idle' && <NothingYet isGone={earlier === 'gone'} />}
      {shown !== null && <Shown query={query} pages={pages} />}
    </Stack>
  );
}

const NothingYet = ({ isGone }: { readonly isGone: boolean }) => (
  <Paper withBorder>
    {isGone ? (
      <EmptyState
        title="The earlier result has expired"
        icon={IconClock}
        action={
          <Button type="submit" form={RUN_FORM}>
            Run again
          </Button>
        }
      >
        The service keeps a result for half an hour after its last use.
      </EmptyState>
    ) : (
      <EmptyState title="No result yet" icon={IconPlayerPlay}>
        Run the query to see its rows here.
      </EmptyState>
    )}
  </Paper>
);

function Shown({ query, pages }: QueryResultProps) {
  const { shown, run } = pages;
  const { session } = useSession();
  const [{ view }, setFilters] = useSearchParams();
  const data = shown?.page.Data;
  const columns = useMemo(() => listGridColumns(query.resultColumns ?? [], data ?? []), [query.resultColumns, data]);
  if (shown === null) return null;
  const { page, queryName, parameters, firstRow, totalRows, durationMs, showRow, keptFrom } = shown;
  const table =
    columns.length === 0 ? (
      <Paper withBorder>
        <EmptyState title="No rows" icon={IconTableOff}>
          The query returned no rows for these values.
        </EmptyState>
      </Paper>
    ) : (
      <Suspense fallback={<Skeleton height={320} />}>
        <ResultGrid
          label={`Rows of ${query.name}`}
          columns={columns}
          rows={page.Data}
          firstRow={firstRow}
          totalRows={totalRows}
          isStale={run.state === 'running'}
          showRow={showRow}
          rest={pages.rest}
          footer={<Pager pages={pages} />}
          rememberAs={`${session.id} ${query.id}`}
        />
      </Suspense>
    );
  return (
    <Tabs
      value={view === 'chart' ? 'chart' : 'table'}
      onChange={(next) => setFilters({ view: next === 'chart' ? 'chart' : undefined })}
    >
      <Group justify="space-between" gap="xs" mb="sm">
        <Text size="sm" role="status" className="tabular">
          {rowsText(totalRows, page.NextRowIndex)} in {durationText(durationMs)}
          {keptFrom !== null && (
            <>
              {', run '}
              <Time at={new Date(keptFrom).toISOString()} as="relative" />
            </>
          )}
        </Text>
        <Group gap="xs" className="no-print">
          <Tabs.List aria-label="View">
            <Tabs.Tab value="table" leftSection={<IconTable size={16} aria-hidden />}>
              Table
            </Tabs.Tab>
            <Tabs.Tab value="chart" leftSection={<IconChartBar size={16} aria-hidden />} onMouseEnter={preloadChart}>
              Chart
            </Tabs.Tab>
          </Tabs.List>
          <CurlButton operation="POST /api/v1/JsonBuilder/ExecuteQuery" parts={partsOf({ queryName, parameters })} />
        </Group>
      </Group>
      <Text size="sm" className="print-only" mb="sm">
        {describeValues(query, parameters)}
      </Text>
      <IncompleteNote reason={page.incomplete} />
      <Tabs.Panel value="table" keepMounted>
        {table}
      </Tabs.Panel>
      <Tabs.Panel value="chart" keepMounted={false}>
        <Suspense fallback={<Skeleton height={400} role="status" aria-label="Loading the chart" />}>
          <ResultChart query={query} shown={shown} noteTotal={pages.noteTotal} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}

/** For paper, without masked values. */
const describeValues = (query: Query, parameters: readonly SentParameter[]): string =>
  parameters
    .filter(({ ParameterName }) => !query.parameters.some(({ name, masked }) => name === ParameterName && masked === true))
    .map(({ ParameterName, Value }) => `${ParameterName} = ${String(Value ?? 'NULL')}`)
    .join(', ');

const rowsText = (total: number | null, loaded: number): string =>
  total === null ? `More than ${countText(loaded, 'row')}` : countText(total, 'row');
