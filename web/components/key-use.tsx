import { Stack, Text } from '@mantine/core';
import type { ApiKey } from '../app/wire.ts';

/** What a key has had today, beside what it may have. */
export function KeyUse({ apiKey }: { readonly apiKey: ApiKey }) {
  const bounds = limitsText(apiKey.limits);
  return (
    <Stack gap={0}>
      <Text size="sm" component="span" title="Rows since midnight UTC">
        {usageText(apiKey)}
      </Text>
      {bounds !== '' && (
        <Text size="xs" c="dimmed" component="span">
          {bounds}
        </Text>
      )}
    </Stack>
  );
}

/** What a key has had today, and of how much. */
export function usageText({ rowsToday, limits: { rowsPerDay } }: Pick<ApiKey, 'rowsToday' | 'limits'>): string {
  const rows = rowsPerDay === null ? counted(rowsToday) : `${counted(rowsToday)} of ${counted(rowsPerDay)}`;
  return `${rows} ${rowsPerDay === null && rowsToday === 1 ? 'row' : 'rows'}`;
}

/** The limits that no count stands against; empty where there are none. */
export function limitsText({ callsPerSecond, concurrent }: ApiKey['limits']): string {
  const rate = callsPerSecond === null ? [] : [`${counted(callsPerSecond)} ${callsPerSecond === 1 ? 'call' : 'calls'} a second`];
  const concurrency = concurrent === null ? [] : [`${counted(concurrent)} at a time`];
  return [...rate, ...concurrency].join(', ');
}

const counted = (count: number): string => count.toLocaleString('en');
