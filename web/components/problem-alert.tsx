import { Alert, Code, Group, List, Text } from '@mantine/core';
import { problemOf } from '../app/problem.ts';
import { CopyButton } from './copy/copy-button.tsx';
import { IconAlertTriangle } from './icons.tsx';

export interface ProblemAlertProps {
  readonly error: unknown; // null or undefined: nothing is shown
  readonly title?: string;
  /** Fields that show their own error, which is then not repeated. */
  readonly shownAtFields?: readonly string[];
}

/** The service's error message, and the request id for finding the details in the log. */
export function ProblemAlert({ error, title, shownAtFields = [] }: ProblemAlertProps) {
  if (error === null || error === undefined) return null;
  const problem = problemOf(error);
  const others = problem.fields.filter(({ field }) => !shownAtFields.includes(field));
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={title ?? titleOf(problem.status)}
      role="alert"
    >
      <Text size="sm">{problem.message}</Text>
      {others.length > 1 && (
        <List size="sm" mt="xs">
          {others.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`}>{field === '' ? message : `${field}: ${message}`}</List.Item>
          ))}
        </List>
      )}
      {problem.requestId !== null && problem.status >= 500 && (
        <Group gap={4} mt="xs">
          <Text size="xs">Request id</Text>
          <Code>{problem.requestId}</Code>
          <CopyButton value={problem.requestId} label="Copy request id" />
        </Group>
      )}
    </Alert>
  );
}

function titleOf(status: number): string {
  if (status === 0) return 'Something went wrong';
  if (status === 403) return 'Not allowed';
  if (status === 404) return 'Not found';
  if (status === 409 || status === 412) return 'Not possible right now';
  if (status === 429 || status === 503) return 'Try again in a moment';
  return status >= 500 ? 'Failed' : 'Not accepted';
}
