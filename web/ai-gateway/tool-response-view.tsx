import { Alert, Anchor, Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconAlertTriangle, IconPlayerSkipForward } from '../components/icons.tsx';
import { durationText } from '../components/run/elapsed.tsx';
import type { ToolResponse } from './call-tool.ts';
import type { FieldValues } from './tool-fields.ts';

const JsonView = lazy(() => import('../query-to-json/json-view.tsx').then((module) => ({ default: module.JsonView })));

export interface ToolResponseViewProps {
  readonly response: ToolResponse;
  readonly onFollow: (tool: string, values: FieldValues) => void;
}

/** The result of a tool, and a button for the next page or chunk. */
export function ToolResponseView({ response: { error, durationMs, text, content }, onFollow }: ToolResponseViewProps) {
  const next = followUpOf(content);
  const { downloadUrl } = content;
  return (
    <Stack gap="xs" component="section" aria-label="Result">
      <Group justify="space-between">
        <Group gap="xs" role="status">
          <Badge variant="light" color={error === null ? 'teal' : 'red'}>
            {error === null ? 'Result' : `Error ${error.code ?? ''}`}
          </Badge>
          <Text size="sm" c="dimmed" className="tabular">
            {durationText(durationMs)}
          </Text>
        </Group>
        <Group gap="xs">
          {typeof downloadUrl === 'string' && (
            <Anchor size="sm" href={downloadUrl} download>
              Download
            </Anchor>
          )}
          <CopyButton value={text} label="Copy JSON" withText size="xs" />
          {next !== null && (
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlayerSkipForward size={14} aria-hidden />}
              onClick={() => onFollow(next.tool, next.values)}
            >
              {next.label}
            </Button>
          )}
        </Group>
      </Group>
      {error !== null && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert">
          {error.message}
        </Alert>
      )}
      <Suspense fallback={<Skeleton height={160} />}>
        <JsonView text={text} label="Result of the tool" maxHeight="40vh" />
      </Suspense>
    </Stack>
  );
}

interface FollowUp {
  readonly tool: string;
  readonly values: FieldValues;
  readonly label: string;
}

/** The tool that returns the next page or chunk. */
function followUpOf({ QueryMoreCode, streamToken }: Readonly<Record<string, unknown>>): FollowUp | null {
  if (typeof QueryMoreCode === 'string') {
    return { tool: 'execute_query_next_page', values: { queryMoreCode: QueryMoreCode }, label: 'Next page' };
  }
  if (typeof streamToken === 'string') return { tool: 'resume_stream', values: { streamToken }, label: 'Next chunk' };
  return null;
}
