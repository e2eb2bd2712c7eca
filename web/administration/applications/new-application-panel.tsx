import { Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CreatedApplication } from '../../app/api-types.ts';
import { useSession } from '../../app/session.tsx';
import { CopyButton } from '../../components/copy/copy-button.tsx';
import { CreatedPanel } from '../../components/created-panel.tsx';

export interface NewApplicationPanelProps {
  readonly created: CreatedApplication;
  readonly onDone: () => void;
}

/** What a new application needs to know. A secret is shown once: until the user closes the panel or leaves the page. */
export function NewApplicationPanel({ created, onDone }: NewApplicationPanelProps) {
  const { name, clientId, clientSecret } = created;
  const { session } = useSession();
  return (
    <CreatedPanel
      key={clientId}
      title={clientSecret === undefined ? `Registered “${name}”` : `Copy the secret of “${name}” now: it is shown only once`}
      onDone={onDone}
    >
      <Fact label="Address" value={`${session.baseUrl}/mcp/oauth`} />
      <Fact label="Client id" value={clientId} testId="client-id" />
      {clientSecret !== undefined && <Fact label="Client secret" value={clientSecret} testId="client-secret" />}
    </CreatedPanel>
  );
}

interface FactProps {
  readonly label: string;
  readonly value: string;
  readonly testId?: string;
}

const Fact = ({ label, value, testId }: FactProps): ReactNode => (
  <Stack gap={2}>
    <Text size="xs">{label}</Text>
    <Group gap="xs">
      <Code fz="sm" style={{ overflowWrap: 'anywhere' }} data-testid={testId}>
        {value}
      </Code>
      <CopyButton value={value} label={`Copy ${label.toLowerCase()}`} withText size="xs" />
    </Group>
  </Stack>
);
