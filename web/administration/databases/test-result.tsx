import { Alert, Code, Text } from '@mantine/core';
import type { ConnectionTest } from '../../app/api-types.ts';
import { IconAlertTriangle, IconCheck, IconPlugConnectedX } from '../../components/icons.tsx';

/** The result of a connection test. */
export function TestResult({ name, result }: { readonly name: string; readonly result: ConnectionTest | null }) {
  if (result === null) return null;
  const { ok, message, detail } = result;
  const hasWarning = ok && message !== undefined;
  const Icon = ok ? (hasWarning ? IconAlertTriangle : IconCheck) : IconPlugConnectedX;
  const color = ok ? (hasWarning ? 'yellow' : 'teal') : 'red';
  const about = name === '' ? 'The connection' : `The connection to ${name}`;
  return (
    <Alert
      variant="light"
      color={color}
      icon={<Icon aria-hidden />}
      title={ok ? `${about} works` : `${about} does not work`}
      role={ok ? 'status' : 'alert'}
    >
      {message !== undefined && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      )}
      {detail !== undefined && (
        <details>
          <Text size="sm" component="summary" style={{ cursor: 'pointer' }} w="max-content">
            Details
          </Text>
          <Code block mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {detail}
          </Code>
        </details>
      )}
    </Alert>
  );
}
