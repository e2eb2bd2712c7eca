import { Button, Group, Paper, Progress, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { bytesText } from '../bytes-text.ts';
import { Elapsed } from './elapsed.tsx';

const CANCEL_AFTER_MS = 1000;

export interface RunStatusProps {
  readonly startedAt: number | null; // null: nothing is shown
  readonly rowsSoFar: number | null;
  readonly onCancel: () => void;
  readonly activity?: string; // 'Exporting CSV'
  readonly bytesSoFar?: number | null;
}

/** The progress of a running query, with a Cancel button after a second. */
export function RunStatus({ startedAt, rowsSoFar, onCancel, activity = 'Running', bytesSoFar = null }: RunStatusProps) {
  const [isLong, setLong] = useState(false);
  const { start, clear } = useTimeout(() => setLong(true), CANCEL_AFTER_MS);
  useEffect(() => {
    setLong(false);
    if (startedAt !== null) start();
    return clear;
  }, [startedAt, start, clear]);
  if (startedAt === null) return null;
  return (
    <Paper withBorder p="sm" bg="var(--mantine-color-default-hover)">
      <Group justify="space-between" mih={30}>
        <Text size="sm" component="div">
          {activity}… <Elapsed since={startedAt} /> · started {timeOfDay(startedAt)}
          {rowsSoFar !== null && ` · ${rowsSoFar.toLocaleString('en')} rows so far`}
          {bytesSoFar !== null && ` · ${bytesText(bytesSoFar)} so far`}
        </Text>
        {isLong && (
          <Button variant="default" size="xs" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Group>
      <Progress value={100} striped animated size="xs" mt="xs" aria-label={activity} />
    </Paper>
  );
}

/** Local time: 09:05:07. */
const timeOfDay = (at: number): string => new Date(at).toTimeString().slice(0, 8);
