import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../app/session.tsx';
import type { AuditEntry, Query } from '../app/wire.ts';
import { StatusBadge } from '../components/status-badge.tsx';
import { Time } from '../components/time.tsx';
import { HomeCard } from './home-card.tsx';
import { recentQueries } from './own-queries.ts';

export interface RecentQueriesCardProps {
  readonly queries: readonly Query[];
  readonly entries: readonly AuditEntry[];
  readonly isLoading: boolean;
}

/** The user's recent queries. */
export function RecentQueriesCard({ queries, entries, isLoading }: RecentQueriesCardProps) {
  const { session } = useSession();
  const recent = recentQueries(session.username, queries, entries);
  return (
    <HomeCard
      title="Your recent queries"
      isLoading={isLoading}
      aside={
        <Anchor size="sm" renderRoot={(props) => <Link to="/queries" {...props} />}>
          All queries
        </Anchor>
      }
    >
      {recent.length === 0 ? (
        <Text size="sm" c="dimmed">
          Queries that you run or change appear here.
        </Text>
      ) : (
        <Stack gap="xs">
          {recent.map(({ query, did, at }) => (
            <Group key={query.id} justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
              <Stack gap={0} miw={0}>
                <Anchor
                  size="sm"
                  truncate
                  renderRoot={(props) => <Link to="/queries/$id" params={{ id: query.id }} {...props} />}
                >
                  {query.name}
                </Anchor>
                <Text size="xs" c="dimmed" component="span">
                  {did === 'ran' ? 'Ran' : 'Changed'} <Time at={at} as="relative" />
                </Text>
              </Stack>
              <StatusBadge status={query.status} />
            </Group>
          ))}
        </Stack>
      )}
    </HomeCard>
  );
}
