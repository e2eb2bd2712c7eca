import { Alert, Button, Code, Group, List, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isTransient, messageWithoutId, type Problem, problemOf } from '../app/problem.ts';
import { CopyButton } from './copy/copy-button.tsx';
import { IconAlertTriangle, IconInfoCircle, IconRefresh } from './icons.tsx';

export interface ProblemAlertProps {
  readonly error: unknown; // null or undefined: nothing is shown
  readonly title?: string; // of an error
  /** Fields that show their own error, which is then not repeated. */
  readonly shownAtFields?: readonly string[];
  /** Reads again what failed. The query client also does so by itself if the service may be back soon. */
  readonly onRetry?: () => void;
  /** Whether the same request may succeed: then Retry waits as long as the service asks for. Only the user repeats it. */
  readonly isRun?: boolean;
}

/** The service's error message, and the request id for finding the details in the log. */
export function ProblemAlert({ error, title, shownAtFields = [], onRetry, isRun = false }: ProblemAlertProps) {
  if (error === null || error === undefined) return null;
  const problem = problemOf(error);
  const others = problem.fields.filter(({ field }) => !shownAtFields.includes(field));
  const look = lookOf(problem);
  const Icon = look.isError ? IconAlertTriangle : IconInfoCircle;
  return (
    <Alert
      color={look.color}
      variant="light"
      icon={<Icon aria-hidden />}
      title={look.isError ? (title ?? look.title) : look.title}
      role={look.isError ? 'alert' : 'status'}
    >
      <Text size="sm">
        {messageWithoutId(problem)}
        {onRetry !== undefined && !isRun && isTransient(problem) && ' This page tries again every few seconds.'}
      </Text>
      {others.length > 1 && (
        <List size="sm" mt="xs">
          {others.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`}>{field === '' ? message : `${field}: ${message}`}</List.Item>
          ))}
        </List>
      )}
      {problem.requestId !== null && problem.status >= 500 && (
        <Group gap={4} mt="xs" wrap="nowrap">
          <Text size="xs" style={{ whiteSpace: 'nowrap' }}>
            Request id
          </Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{problem.requestId}</Code>
          <CopyButton value={problem.requestId} label="Copy request id" />
        </Group>
      )}
      {onRetry !== undefined && (!isRun || mayRepeat(problem)) && (
        <RetryButton key={problem.requestId} onRetry={onRetry} afterSeconds={isRun ? (problem.retryAfterSeconds ?? 0) : 0} />
      )}
    </Alert>
  );
}

const mayRepeat = (problem: Problem): boolean =>
  problem.status === 429 || problem.status >= 500 || isTransient(problem) || problem.code in endedEarly;

/** Counts down to the moment at which the service accepts the request again. */
function RetryButton({ onRetry, afterSeconds }: { readonly onRetry: () => void; readonly afterSeconds: number }) {
  const [seconds, setSeconds] = useState(afterSeconds);
  useEffect(() => {
    if (seconds <= 0) return;
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds]);
  return (
    <Button
      mt="sm"
      size="xs"
      variant="default"
      className="tabular"
      leftSection={<IconRefresh size={14} aria-hidden />}
      disabled={seconds > 0}
      onClick={onRetry}
    >
      {seconds > 0 ? `Retry in ${seconds} s` : 'Retry'}
    </Button>
  );
}

interface Look {
  readonly title: string;
  readonly color: string;
  readonly isError: boolean; // false: nobody did anything wrong
}

/** A run that ended early is no error, and a service that is away for a moment only a warning. */
function lookOf(problem: Problem): Look {
  const early = endedEarly[problem.code];
  if (early !== undefined) return { title: early, color: 'gray', isError: false };
  if (problem.code === 'unreachable') return { title: 'No connection', color: 'yellow', isError: true };
  if (problem.code === 'database_unavailable') return { title: 'No connection to the database', color: 'yellow', isError: true };
  if (problem.status === 429 || isTransient(problem)) return { title: 'Try again in a moment', color: 'yellow', isError: true };
  return { title: titleOf(problem.status), color: 'red', isError: true };
}

const endedEarly: Readonly<Record<string, string>> = {
  query_cancelled: 'Cancelled',
  interrupted: 'Interrupted',
  export_broken_off: 'Interrupted',
  shutting_down: 'The service is restarting',
};

function titleOf(status: number): string {
  if (status === 0) return 'Something went wrong';
  if (status === 403) return 'Not allowed';
  if (status === 404) return 'Not found';
  if (status === 409 || status === 412) return 'Not possible right now';
  return status >= 500 ? 'Failed' : 'Not accepted';
}
