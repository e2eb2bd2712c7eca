import { Alert, Button, Code, Group, Paper, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconShieldHalf } from '../components/icons.tsx';

export interface AddressCardProps {
  readonly url: string;
  readonly isOnlyOne: boolean; // there is no address for signing in
}

/** The gateway's address, and advice on keys for assistants. */
export function AddressCard({ url, isOnlyOne }: AddressCardProps) {
  const title = isOnlyOne ? 'Address' : 'Address for clients with a key';
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label={title}>
      <Stack gap="sm">
        <Title order={2}>{title}</Title>
        <Group gap="xs" wrap="nowrap">
          <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Code>
          <CopyButton value={url} label="Copy address" />
        </Group>
        <Alert role="note" variant="light" icon={<IconShieldHalf aria-hidden />} title="Give each assistant its own key">
          <Stack gap="xs" align="flex-start">
            <span>
              Use a lifetime of 30 to 90 days and limit the key to the queries that the assistant needs. The audit trail shows its
              calls under the name of the key. Rows may contain instructions written by others: have a person approve what an
              assistant does because of them.
            </span>
            <Group gap="sm">
              <Button
                size="xs"
                renderRoot={(props) => <Link to="/account/api-keys" search={{ create: 'assistant' }} {...props} />}
              >
                Create a key for an assistant
              </Button>
              <Button variant="default" size="xs" renderRoot={(props) => <Link to="/account/api-keys" {...props} />}>
                API Keys
              </Button>
            </Group>
          </Stack>
        </Alert>
      </Stack>
    </Paper>
  );
}
