import { Alert, Button, Group, Text } from '@mantine/core';
import { type FileFormat, fileFormats } from '../../../src/core/file-format.ts';
import { bytesText } from '../../components/bytes-text.ts';
import { isShownAtFields } from '../../components/fields/field-errors.ts';
import { formatLabels } from '../../components/format-labels.ts';
import { IconDownload } from '../../components/icons.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { RunStatus } from '../../components/run/run-status.tsx';
import type { Export } from './use-export.ts';

export interface ExportButtonsProps {
  readonly isBusy: boolean;
  readonly onExport: (format: FileFormat) => void;
}

export function ExportButtons({ isBusy, onExport }: ExportButtonsProps) {
  return (
    <Group gap={6} role="group" aria-label="Export">
      <IconDownload size={16} aria-hidden />
      <Text size="sm" c="dimmed">
        Export
      </Text>
      {fileFormats.map((format) => (
        <Button
          key={format}
          variant="default"
          size="compact-sm"
          aria-label={`Export as ${formatLabels[format]}`}
          disabled={isBusy}
          onClick={() => onExport(format)}
        >
          {formatLabels[format]}
        </Button>
      ))}
    </Group>
  );
}

/** The progress and the outcome of an export. */
export function ExportStatus({ work, shownAtFields }: { readonly work: Export; readonly shownAtFields: readonly string[] }) {
  const { state, format, startedAt, rowsSoFar, bytes, fileName, problem, cancel } = work;
  const label = format === null ? '' : formatLabels[format];
  if (state === 'running') {
    return (
      <RunStatus
        activity={`Exporting ${label}`}
        startedAt={startedAt}
        rowsSoFar={rowsSoFar}
        bytesSoFar={bytes === 0 ? null : bytes}
        onCancel={cancel}
      />
    );
  }
  if (problem !== null && !isShownAtFields(problem, shownAtFields))
    return <ProblemAlert error={problem} title={`The ${label} export failed`} />;
  if (state === 'idle' || state === 'failed') return null;
  return (
    <Alert variant="light" color={state === 'done' ? 'teal' : 'gray'} py="xs" role="status">
      {state === 'done' ? `Saved ${fileName} (${bytesText(bytes)}).` : `The ${label} export was cancelled. Nothing was saved.`}
    </Alert>
  );
}
