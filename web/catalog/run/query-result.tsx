import { Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { useSession } from '../../app/session.tsx';
import type { Query } from '../../app/wire.ts';
import { CurlButton } from '../../components/copy/curl-button.tsx';
import { countText } from '../../components/count-text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconPlayerPlay, IconTableOff } from '../../components/icons.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { CancelledNote } from '../../components/run/cancelled-note.tsx';
import { durationText } from '../../components/run/elapsed.tsx';
import { IncompleteNote } from '../../components/run/incomplete-note.tsx';
import { partsOf } from '../../components/run/use-run-query.ts';
import { listGridColumns } from '../../grid/grid-columns.ts';
import { Pager } from '../../grid/pager.tsx';
import type { ResultPages } from '../../grid/use-result-pages.ts';

const loadGrid = () => import('../../grid/result-grid.tsx');
const ResultGrid = lazy(() => loadGrid().then((module) => ({ default: module.ResultGrid })));

export interface QueryResultProps {
  readonly query: Query;
  readonly pages: ResultPages;
}

export function QueryResult({ query, pages }: QueryResultProps) {
  const { run, shown } = pages;
  useEffect(() => void loadGrid(), []); // while the query runs
  const names = query.parameters.map(({ name }) => name);
  return (
    <Stack gap="sm">
      {run.problem !== null && !isAtFields(run.problem.fields, names) && (
        <ProblemAlert
          error={run.problem}
          {...(run.problem.status === 403 ? { title: `You cannot run ${query.name}` } : {})}
          shownAtFields={names}
        />
      )}
      <CancelledNote afterMs={run.state === 'cancelled' ? run.durationMs : null} keepsResult={shown !== null} />
      {shown === null ? run.state === 'idle' && <NothingYet /> : <Shown query={query} pages={pages} />}
    </Stack>
  );
}

const isAtFields = (fields: readonly { readonly field: string }[], names: readonly string[]): boolean =>
  fields.length > 0 && fields.every(({ field }) => names.includes(field));

const NothingYet = () => (
  <Paper withBorder>
    <EmptyState title="No result yet" icon={IconPlayerPlay}>
      Run the query to see its rows here.
    </EmptyState>
  </Paper>
);

function Shown({ query, pages }: QueryResultProps) {
  const { shown, run } = pages;
  const { session } = useSession();
  const data = shown?.page.Data;
  const columns = useMemo(() => listGridColumns(query.resultColumns ?? [], data ?? []), [query.resultColumns, data]);
  if (shown === null) return null;
  const { page, queryName, parameters, firstRow, totalRows, durationMs, showRow } = shown;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status" className="tabular">
          {rowsText(totalRows, page.NextRowIndex)} in {durationText(durationMs)}
        </Text>
        <CurlButton operation="POST /api/v1/JsonBuilder/ExecuteQuery" parts={partsOf({ queryName, parameters })} />
      </Group>
      <IncompleteNote reason={page.incomplete} />
      {columns.length === 0 ? (
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
            moreRowsNote={describeRemaining(page.NextRowIndex, totalRows)}
            footer={<Pager pages={pages} />}
            rememberAs={`${session.id} ${query.id}`}
          />
        </Suspense>
      )}
    </Stack>
  );
}

function describeRemaining(next: number, total: number | null): string | null {
  if (total !== null && next >= total) return null;
  return `The result continues after row ${next.toLocaleString('en')}: go to the next page, or export all rows.`;
}

const rowsText = (total: number | null, loaded: number): string =>
  total === null ? `More than ${countText(loaded, 'row')}` : countText(total, 'row');
