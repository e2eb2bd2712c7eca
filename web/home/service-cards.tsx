import { Anchor, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Time } from '../components/time.tsx';
import { Figure, HomeCard } from './home-card.tsx';
import type { Home } from './use-home.ts';

/** What runs now, for administrators. */
export const LoadCard = ({ load }: { readonly load: NonNullable<Home['load']> }) => (
  <HomeCard title="Running now">
    <SimpleGrid cols={2} spacing="xs">
      <Figure count={load.running} label="Running" to="/executions" />
      <Figure count={load.waiting} label="Waiting" to="/executions" />
    </SimpleGrid>
  </HomeCard>
);

/** Databases whose last test failed. */
export function FailingDatabasesCard({ databases }: { readonly databases: NonNullable<Home['failingDatabases']> }) {
  if (databases.length === 0) return null;
  return (
    <HomeCard title="Databases that failed their test">
      <Stack gap="xs">
        {databases.map(({ name, at, message }) => (
          <Stack key={name} gap={0}>
            <Anchor
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
              renderRoot={(props) => <Link to="/databases" search={{ search: name }} {...props} />}
            >
              {name}
            </Anchor>
            <Text size="xs" c="dimmed" component="span">
              {message} Tested <Time at={at} as="relative" />
            </Text>
          </Stack>
        ))}
      </Stack>
    </HomeCard>
  );
}

/** API keys that expire soon; nothing if there are none. */
export function EndingKeysCard({ keys }: { readonly keys: Home['endingKeys'] }) {
  if (keys.length === 0) return null;
  return (
    <HomeCard title="API keys that end soon">
      <Stack gap="xs">
        {keys.map(({ prefix, name, user, expiresAt, lastUsedAt, isOwn }) => (
          <Group key={prefix} justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
            <Stack gap={0} miw={0}>
              <Anchor
                size="sm"
                style={{ overflowWrap: 'anywhere' }}
                renderRoot={(props) =>
                  isOwn ? <Link to="/account/api-keys" {...props} /> : <Link to="/users" search={{ search: user }} {...props} />
                }
              >
                {name}
                {!isOwn && ` of ${user}`}
              </Anchor>
              <Text size="xs" c="dimmed" component="span">
                {lastUsedAt === null ? (
                  'Never used'
                ) : (
                  <>
                    Last used <Time at={lastUsedAt} as="relative" />
                  </>
                )}
              </Text>
            </Stack>
            <Text size="sm" component="span" style={{ whiteSpace: 'nowrap' }}>
              <Time at={expiresAt} as="relative" />
            </Text>
          </Group>
        ))}
      </Stack>
    </HomeCard>
  );
}
