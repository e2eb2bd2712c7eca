import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

export interface PageHeaderProps {
  readonly title: string;
  readonly tab?: string; // title of the browser tab, if it differs
  readonly description?: ReactNode;
  readonly badge?: ReactNode; // next to the title
  readonly actions?: ReactNode; // buttons on the right
}

/** The header of a page. Its heading gets the focus after a navigation. */
export function PageHeader({ title, tab = title, description, badge, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = tab === 'Home' ? 'Sluice' : `${tab} · Sluice`;
  }, [tab]);
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="md">
      <Stack gap={2} flex={description === undefined ? '0 1 auto' : '1 1 260px'} maw="100%" miw={0}>
        <Group gap="sm">
          <Title order={1} tabIndex={-1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {badge}
        </Group>
        {description !== undefined && (
          <Text component="div" size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {description}
          </Text>
        )}
      </Stack>
      {actions !== undefined && (
        <Group gap="xs" className="page-actions">
          {actions}
        </Group>
      )}
    </Group>
  );
}
