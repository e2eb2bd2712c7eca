import { Group, Paper, Stack, Text } from '@mantine/core';
import type { Query } from '../../app/wire.ts';
import { CurlButton } from '../../components/copy/curl-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconPlayerPlay, IconTableOff } from '../../components/icons.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { CancelledNote } from '../../components/run/cancelled-note.tsx';
import { durationText } from '../../components/run/elapsed.tsx';
import { partsOf } from '../../components/run/use-run-query.ts';
import { gridColumns } from '../../grid/grid-columns.ts';
import { Pager } from '../../grid/pager.tsx';
import { ResultGrid } from '../../grid/result-grid.tsx';
import type { ResultPages } from '../../grid/use-result-pages.ts';

export interface QueryResultProps {
  readonly query: Query;
  readonly pages: ResultPages;
}

export function QueryResult({ query, pages }: QueryResultProps) {
  const { run, shown } = pages;
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
  if (shown === null) return null;
  const { page, queryName, parameters, firstRow, totalRows, durationMs, showRow } = shown;
  const columns = gridColumns(query.resultColumns ?? [], page.Data);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status" className="tabular">
          {rowsText(totalRows, page.NextRowIndex)} in {durationText(durationMs)}
        </Text>
        <CurlButton operation="POST /api/v1/JsonBuilder/ExecuteQuery" parts={partsOf({ queryName, parameters })} />
      </Group>
      {columns.length === 0 ? (
        <Paper withBorder>
          <EmptyState title="No rows" icon={IconTableOff}>
            The query returned no rows for these values.
          </EmptyState>
        </Paper>
      ) : (
        <ResultGrid
          label={`Rows of ${query.name}`}
          columns={columns}
          rows={page.Data}
          firstRow={firstRow}
          totalRows={totalRows}
          isStale={run.state === 'running'}
          showRow={showRow}
          footer={<Pager pages={pages} />}
        />
      )}
    </Stack>
  );
}

function rowsText(total: number | null, loaded: number): string {
  if (total === null) return `More than ${loaded.toLocaleString('en')} rows`;
  return total === 1 ? '1 row' : `${total.toLocaleString('en')} rows`;
}
