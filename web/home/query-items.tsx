import { ActionIcon, Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { IconChartBar } from '../components/icons.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import type { HomeQuery } from './use-home.ts';

export interface QueryItemsProps<Q extends HomeQuery> {
  readonly queries: readonly Q[];
  readonly empty: ReactNode; // what to do if there are none
  readonly detail?: (query: Q) => ReactNode; // below the name
  readonly status?: (query: Q) => string | null; // null: no badge
}

/** Queries of a card, each with a link to its page, and to its chart if its author chose one. */
export function QueryItems<Q extends HomeQuery>({ queries, empty, detail, status }: QueryItemsProps<Q>) {
  if (queries.length === 0) {
    return (
      <Text size="sm" c="dimmed" component="div">
        {empty}
      </Text>
    );
  }
  return (
    <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {queries.map((query) => {
        const shown = status?.(query) ?? null;
        return (
          <Group key={query.id} component="li" justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
            <Stack gap={0} miw={0}>
              <Anchor
                size="sm"
                style={{ overflowWrap: 'anywhere' }}
                renderRoot={(props) => <Link to="/queries/$id" params={{ id: query.id }} {...props} />}
              >
                {query.name}
              </Anchor>
              {detail !== undefined && (
                <Text size="xs" c="dimmed" component="span">
                  {detail(query)}
                </Text>
              )}
            </Stack>
            <Group gap={4} wrap="nowrap">
              {shown !== null && <StatusBadge status={shown} />}
              {query.canRun && query.hasChart && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`Chart of ${query.name}`}
                  renderRoot={(props) => <Link to="/query-to-chart" search={{ query: query.queryName }} {...props} />}
                >
                  <IconChartBar size={16} aria-hidden />
                </ActionIcon>
              )}
            </Group>
          </Group>
        );
      })}
    </Stack>
  );
}
