import { ActionIcon, Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { IconChartBar, IconPlayerPlay } from '../components/icons.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import classes from './home.module.css';
import type { HomeQuery } from './use-home.ts';

export interface QueryItemsProps<Q extends HomeQuery> {
  readonly queries: readonly Q[];
  readonly detail?: (query: Q) => ReactNode; // below the name
  readonly status?: (query: Q) => string | null; // null: no badge
  readonly result?: (query: Q) => ReactNode; // below the name and the detail
}

/** Queries of a card, each with a link to its page, a link that runs it, and one to its chart if its author chose one. */
export function QueryItems<Q extends HomeQuery>({ queries, detail, status, result }: QueryItemsProps<Q>) {
  return (
    <ul className={`${classes.queries} ${result === undefined ? '' : classes.tiles}`}>
      {queries.map((query) => (
        <li key={query.id}>
          <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
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
            <QueryActions query={query} status={status?.(query) ?? null} />
          </Group>
          {result?.(query)}
        </li>
      ))}
    </ul>
  );
}

function QueryActions({ query, status }: { readonly query: HomeQuery; readonly status: string | null }) {
  const { id, queryName, name, canRun, hasChart } = query;
  return (
    <Group gap={4} wrap="nowrap">
      {status !== null && <StatusBadge status={status} />}
      {canRun && (
        <ActionIcon
          {...icon}
          aria-label={`Run ${name}`}
          renderRoot={(props) => <Link to="/queries/$id" params={{ id }} state={{ run: true }} {...props} />}
        >
          <IconPlayerPlay size={16} aria-hidden />
        </ActionIcon>
      )}
      {canRun && hasChart && (
        <ActionIcon
          {...icon}
          aria-label={`Chart of ${name}`}
          renderRoot={(props) => <Link to="/query-to-chart" search={{ query: queryName }} {...props} />}
        >
          <IconChartBar size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}

const icon = { variant: 'subtle', color: 'gray', size: 'sm' } as const;
