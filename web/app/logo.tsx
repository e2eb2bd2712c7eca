import { Group, Text } from '@mantine/core';

/** A raised gate between two posts, with water below. The edges are on whole pixels at 16 px; see also public/favicon.svg. */
export function Logo() {
  return (
    <Group gap={10} wrap="nowrap">
      <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="var(--mantine-color-petrol-7)" />
        <path fill="#fff" d="M4 5h4v22H4zM24 5h4v22h-4z" />
        <path fill="var(--gate)" d="M10 5h12v9H10z" />
        <path fill="#9fdcec" d="M10 20.5c2-2.2 4-2.2 6 0s4 2.2 6 0V27H10z" />
      </svg>
      <Text component="span" fw={600} size="lg" lh={1}>
        Sluice
      </Text>
    </Group>
  );
}
