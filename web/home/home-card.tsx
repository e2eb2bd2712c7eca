import { Group, Paper, Skeleton, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SearchParams } from '../components/use-search-params.ts';
import classes from './home.module.css';

export interface HomeCardProps {
  readonly title: string;
  readonly aside?: ReactNode; // next to the title
  readonly isLoading?: boolean;
  readonly children: ReactNode;
}

export function HomeCard({ title, aside, isLoading = false, children }: HomeCardProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} aria-busy={isLoading}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs" mih={26}>
          <Title order={2}>{title}</Title>
          {aside}
        </Group>
        {isLoading ? <Skeleton height={72} /> : children}
      </Stack>
    </Paper>
  );
}

export interface FigureProps {
  readonly count: number;
  readonly isLeast?: boolean; // there are more: 1,000+
  readonly label: string;
  readonly detail?: string; // below the label
  readonly to: string;
  readonly search?: SearchParams;
  readonly isBad?: boolean; // red unless it is 0
  readonly dot?: string; // a color of the theme
}

/** A count that leads to the list of what it counts. */
export function Figure({ count, isLeast = false, label, detail, to, search = {}, isBad = false, dot }: FigureProps) {
  return (
    <UnstyledButton className={classes.figure ?? ''} renderRoot={(props) => <Link to={to} search={search} {...props} />}>
      <Text
        size="xl"
        fw={600}
        lh={1.2}
        className="tabular"
        {...(isBad && count > 0 ? { c: 'var(--mantine-color-red-text)' } : {})}
      >
        {count.toLocaleString('en')}
        {isLeast && '+'}
      </Text>
      <Group gap={6} wrap="nowrap">
        {dot !== undefined && <span className={classes.dot} style={{ background: `var(--mantine-color-${dot}-filled)` }} />}
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </Group>
      {detail !== undefined && (
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      )}
    </UnstyledButton>
  );
}
