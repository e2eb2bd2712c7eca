import { Anchor, Code, Group, Paper, Stack, Tabs, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { signInClients } from './sign-in-clients.ts';

/** The address for applications that sign people in, and where each of them takes it. */
export function SignInCard({ url }: { readonly url: string }) {
  const [filters, setFilters] = useSearchParams();
  const client = signInClients.find(({ id }) => id === filters.app) ?? signInClients[0];
  const text = client.write(url);
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label="Connect by signing in">
      <Stack gap="sm">
        <Title order={2}>Connect by signing in</Title>
        <Text size="sm" c="dimmed">
          For applications that open Sluice in the browser: you sign in and choose what they may run. They get no key. You end
          their access under{' '}
          <Anchor inherit underline="always" renderRoot={(props) => <Link to="/account/applications" {...props} />}>
            My Account → Connected applications
          </Anchor>
          .
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Code>
          <CopyButton value={url} label="Copy address for signing in" />
        </Group>
        <Tabs
          value={client.id}
          onChange={(id) => setFilters({ app: id === null || id === signInClients[0].id ? undefined : id })}
        >
          <Tabs.List>
            {signInClients.map(({ id, label }) => (
              <Tabs.Tab key={id} value={id}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {signInClients.map(({ id, label, steps }) => (
            <Tabs.Panel key={id} value={id} pt="sm">
              {id === client.id && (
                <Stack gap="xs">
                  <Text size="sm">{steps}</Text>
                  {text !== null && (
                    <Group gap="xs" align="flex-start" wrap="nowrap">
                      <Code block flex={1} miw={0} tabIndex={0} role="region" aria-label={`Sign-in configuration for ${label}`}>
                        {text}
                      </Code>
                      <CopyButton value={text} label="Copy sign-in configuration" />
                    </Group>
                  )}
                </Stack>
              )}
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Paper>
  );
}
