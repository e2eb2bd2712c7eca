import { Group, Paper, Skeleton, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

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
