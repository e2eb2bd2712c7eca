import { Group, List, Stack, Text, Title } from '@mantine/core';
import type { QueryChanges } from '../../../app/api-types.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';

/** The changes between two versions that callers notice; breaking ones first. */
export function ChangeList({ changes, columnsCompared }: Pick<QueryChanges, 'changes' | 'columnsCompared'>) {
  const sorted = [...changes].sort((a, b) => Number(b.breaking) - Number(a.breaking));
  return (
    <Stack gap="xs">
      {changes.length === 0 && <Text size="sm">Callers notice no change.</Text>}
      {changes.length > 0 && (
        <List size="sm" spacing={6} listStyleType="none" aria-label="Changes for callers">
          {sorted.map(({ kind, path, breaking, message }) => (
            <List.Item key={`${kind} ${path}`} style={{ overflowWrap: 'anywhere' }}>
              <Group gap="xs" wrap="nowrap" align="flex-start">
                {breaking && <StatusBadge status="Breaking" />}
                <span>{message}</span>
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      {!columnsCompared && (
        <Text size="sm" c="dimmed">
          The columns were not compared, because one of the versions was not validated.
        </Text>
      )}
    </Stack>
  );
}

export const ChangesTitle = ({ children }: { readonly children: string }) => (
  <Title order={3} fz="sm">
    {children}
  </Title>
);
