import { Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { countText } from '../components/count-text.ts';
import { durationText } from '../components/run/elapsed.tsx';
import { partsOf } from '../components/run/use-run-query.ts';
import type { ChartWizard } from './use-chart-wizard.ts';

/** The number of rows and the class of each column of the last run. It stays while the next one runs. */
export function ResultSummary({ wizard: { run, result } }: { readonly wizard: ChartWizard }) {
  const { page, request, durationMs, isRunning } = run;
  if (page === null || request === null || result === null) return null;
  const { columns } = result;
  const parts = partsOf({ ...request, rowSize: page.RowSize });
  return (
    <Paper
      withBorder
      p="sm"
      bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))"
      style={{ opacity: isRunning ? 0.6 : 1 }}
    >
      <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
        <Stack gap={8} miw={0} flex={1}>
          <Text size="sm" component="div" role="status">
            <b>{rowsFound(page.Data.length, page.QueryMoreCode !== null)}</b> · {countText(columns.length, 'column')}
            {durationMs !== null && !isRunning && <span className="tabular"> · {durationText(durationMs)}</span>}
          </Text>
          <Group gap="xs" component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }} aria-label="Columns">
            {columns.map(({ name, class: columnClass }) => (
              <Group key={name} component="li" gap={6} wrap="nowrap" maw="100%">
                <Text size="sm" truncate dir="auto">
                  {name}
                </Text>
                <Badge
                  variant="light"
                  size="sm"
                  color={columnClass === 'numeric' ? 'petrol' : 'gray'}
                  style={{ flex: 'none' }}
                  tt="none"
                >
                  {columnClass}
                </Badge>
              </Group>
            ))}
          </Group>
        </Stack>
        <CurlButton operation="POST /api/v1/ChartBuilder/ExecuteQuery" parts={parts} />
      </Group>
    </Paper>
  );
}

const rowsFound = (rows: number, hasMore: boolean): string => {
  if (hasMore) return `First ${countText(rows, 'row')} of a longer result`;
  return rows === 0 ? 'No rows found' : `${countText(rows, 'row')} found`;
};
