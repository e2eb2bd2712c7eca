import { Alert, Button, Code, Group, Paper, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconShieldHalf } from '../components/icons.tsx';

/** Where the gateway is, and what key to give to an assistant. */
export function AddressCard({ url }: { readonly url: string }) {
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label="Address">
      <Stack gap="sm">
        <Title order={2}>Address</Title>
        <Group gap="xs" wrap="nowrap">
          <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Code>
          <CopyButton value={url} label="Copy address" />
        </Group>
        <Alert
          role="note"
          color="indigo"
          variant="light"
          icon={<IconShieldHalf aria-hidden />}
          title="Give each assistant a key of its own"
        >
          <Stack gap="xs" align="flex-start">
            <span>
              Short-lived, 30 to 90 days, and narrowed to the queries that it needs: it then reaches those and nothing else. Calls
              are in the audit trail under the name of the key, and revoking it ends access at once. Rows are data that others
              wrote: leave tools that act on the world to a person’s consent.
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
