import { Badge, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { bytesText } from '../components/bytes-text.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { countText } from '../components/count-text.ts';
import { IconPlayerSkipForward } from '../components/icons.tsx';
import { durationText } from '../components/run/elapsed.tsx';
import { IncompleteNote } from '../components/run/incomplete-note.tsx';
import { indentJson } from './indent-json.ts';
import type { TestResponse } from './use-test-call.ts';

const JsonView = lazy(() => import('./json-view.tsx').then((module) => ({ default: module.JsonView })));

export interface ResponseCardProps {
  readonly response: TestResponse;
  readonly isStale: boolean;
  readonly onNext: () => void;
}

/** The status, time and JSON of the response. */
export function ResponseCard({ response, isStale, onNext }: ResponseCardProps) {
  const { status, statusText, durationMs, bytes, rows, text, requestId, next, incomplete, withSession } = response;
  const shown = useMemo(() => indentJson(text), [text]);
  const facts = [
    durationText(durationMs),
    bytesText(bytes),
    ...(rows === null ? [] : [countText(rows.length, 'row')]),
    ...(withSession ? ['sent with your session'] : []),
  ];
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label="Response" aria-busy={isStale}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2}>Response</Title>
            <Badge variant="light" color={status < 300 ? 'teal' : 'red'} tt="none">
              {`${status} ${statusText}`.trim()}
            </Badge>
            <Text size="sm" c="dimmed" className="tabular">
              {facts.join(' · ')}
            </Text>
          </Group>
          <Group gap="xs">
            <CopyButton value={text} label="Copy JSON" withText size="xs" />
            {next !== null && (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconPlayerSkipForward size={14} aria-hidden />}
                disabled={isStale}
                onClick={onNext}
              >
                Next page
              </Button>
            )}
          </Group>
        </Group>
        <IncompleteNote reason={incomplete} />
        <Suspense fallback={<Skeleton height={240} />}>
          <JsonView text={shown} label="JSON response" />
        </Suspense>
        {rows !== null && next === null && (
          <Text size="xs" c="dimmed">
            This is the last page: Query More Code is null.
          </Text>
        )}
        {status >= 400 && requestId !== null && (
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              Request id {requestId}
            </Text>
            <CopyButton value={requestId} label="Copy request id" />
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
