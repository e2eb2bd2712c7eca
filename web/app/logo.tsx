import { Group, Text } from '@mantine/core';

export function Logo() {
  return (
    <Group gap="xs" wrap="nowrap">
      <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="var(--mantine-color-indigo-7)" />
        <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" strokeLinejoin="round">
          <path d="M8 7v18M24 7v18M8 9h16M16 9v6" />
          <path d="M8 19c2.7-2.4 5.3-2.4 8 0s5.3 2.4 8 0M8 24c2.7-2.4 5.3-2.4 8 0s5.3 2.4 8 0" />
        </g>
      </svg>
      <Text fw={600} size="md">
        Sluice
      </Text>
    </Group>
  );
}
