import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMemo } from 'react';
import { useSession } from '../app/session.tsx';
import type { Query } from '../app/wire.ts';
import { LazyChart } from '../chart/lazy-chart.tsx';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { IconRefresh, IconWorldShare } from '../components/icons.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { incompleteText } from '../components/run/incomplete-note.tsx';
import { partsOf } from '../components/run/use-run-query.ts';
import { EmbedDialog } from './embed-dialog.tsx';
import { RunProgress } from './run-progress.tsx';
import type { ChartWizard } from './use-chart-wizard.ts';
import type { EmbedLinkState } from './use-embed-link.ts';

export interface ResultStepProps {
  readonly query: Query;
  readonly wizard: ChartWizard;
  readonly embed: EmbedLinkState;
}

export function ResultStep({ query, wizard, embed }: ResultStepProps) {
  const { run, result, config, drawn, goTo, refresh } = wizard;
  const { can, isExtended } = useSession();
  const mayEmbed = isExtended && can('embeds.create');
  const [withTable, table] = useDisclosure(false);
  const [opened, dialog] = useDisclosure(false);
  const more = useMemo(() => noteIncomplete(run.page), [run.page]);
  if (run.page === null || run.request === null || result === null || config === null) return null;
  const openDialog = (): void => {
    embed.start();
    dialog.open();
  };
  return (
    <Stack gap="md">
      <RunProgress wizard={wizard} name={query.name} />
      <ProblemAlert error={drawn.error} title="The chart cannot be drawn" />
      <Paper withBorder style={{ overflow: 'hidden' }}>
        {drawn.content === null ? (
          <Skeleton height={config.chartHeight} />
        ) : (
          <LazyChart {...drawn.content} more={more} withTable={withTable} onShowAll={wizard.showAllLabels} />
        )}
      </Paper>
      <Group className="chart-actions" gap="xs">
        <Button variant="default" onClick={() => goTo(1)}>
          Previous
        </Button>
        <Group className="chart-actions-more" gap="xs">
          <Button variant="subtle" onClick={table.toggle} aria-expanded={withTable}>
            {withTable ? 'Hide table' : 'View data as table'}
          </Button>
          <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} loading={run.isRunning} onClick={refresh}>
            Refresh
          </Button>
          <CurlButton
            operation="POST /api/v1/ChartBuilder/ExecuteQuery"
            parts={partsOf({ ...run.request, rowSize: run.page.RowSize })}
          />
        </Group>
        {mayEmbed && query.epilogue === null && (
          <Button leftSection={<IconWorldShare size={16} aria-hidden />} onClick={openDialog}>
            Get Embed URL
          </Button>
        )}
      </Group>
      {mayEmbed && query.epilogue !== null && (
        <Text size="sm" c="dimmed">
          This query writes data (Epilogue), so its chart cannot be embedded.
        </Text>
      )}
      <EmbedDialog opened={opened} onClose={dialog.close} embed={embed} query={query} config={config} />
    </Stack>
  );
}

function noteIncomplete(page: ChartWizard['run']['page']): readonly string[] {
  return page?.incomplete == null ? [] : [incompleteText(page.incomplete)];
}
