import { Center, Stack, Text, ThemeIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconInbox } from './icons.tsx';

export interface EmptyStateProps {
  readonly title: string; // 'No queries yet'
  readonly children?: ReactNode; // what to do about it
  readonly action?: ReactNode; // a button
  readonly icon?: typeof IconInbox;
}

export function EmptyState({ title, children, action, icon: Icon = IconInbox }: EmptyStateProps) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={420} ta="center">
        <ThemeIcon variant="light" size={48} radius="md">
          <Icon size={24} aria-hidden />
        </ThemeIcon>
        <Text fw={600}>{title}</Text>
        {children !== undefined && (
          <Text component="div" size="sm" c="dimmed">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}
