import { Code, Group, Paper, SegmentedControl, Stack, Tabs, Text, Title } from '@mantine/core';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import { clients, type KeyWay } from './clients.ts';

/** Configuration for common clients. */
export function ClientsCard({ url }: { readonly url: string }) {
  const [filters, setFilters] = useSearchParams();
  const client = clients.find(({ id }) => id === filters.client) ?? clients[0];
  const way: KeyWay = filters.key === 'argument' ? 'argument' : 'header';
  const text = client.write(url, way);
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label="Set up a client with a key">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>Set up a client with a key</Title>
          <SegmentedControl
            size="xs"
            aria-label="Where the key is"
            value={way}
            onChange={(value) => setFilters({ key: value === 'header' ? undefined : value })}
            data={[
              { value: 'header', label: 'Key in the header' },
              { value: 'argument', label: 'Key as an argument' },
            ]}
          />
        </Group>
        <Text size="sm" c="dimmed">
          {way === 'header'
            ? 'Recommended: the client holds the key, and the model never sees it.'
            : 'For clients that cannot send headers. The tools require the argument apiKey, so the model sees the key.'}
        </Text>
        <Tabs value={client.id} onChange={(id) => setFilters({ client: id === null || id === clients[0].id ? undefined : id })}>
          <Tabs.List>
            {clients.map(({ id, label }) => (
              <Tabs.Tab key={id} value={id}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {clients.map(({ id, label, instructions, resultNote }) => (
            <Tabs.Panel key={id} value={id} pt="sm">
              {id === client.id && (
                <Stack gap="xs">
                  <Text size="sm">{instructions}</Text>
                  <Code block tabIndex={0} role="region" aria-label={`Configuration for ${label}`}>
                    {text}
                  </Code>
                  <Text size="xs" c="dimmed">
                    {resultNote}
                  </Text>
                </Stack>
              )}
            </Tabs.Panel>
          ))}
        </Tabs>
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {keyText(text)}
          </Text>
          <CopyButton value={text} label="Copy configuration" withText />
        </Group>
      </Stack>
    </Paper>
  );
}

function keyText(configuration: string): string {
  if (configuration.includes('<API_KEY>')) return 'Replace <API_KEY> with a key from My Account → API Keys.';
  if (!configuration.includes(KEY_VARIABLE)) return '';
  return `Set the environment variable ${KEY_VARIABLE} to a key from My Account → API Keys.`;
}
