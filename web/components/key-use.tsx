import { Stack, Text } from '@mantine/core';
import type { KeyLimits } from '../app/api-types.ts';
import type { ApiKey } from '../app/wire.ts';

/** Today's use of a key, and its limits. */
export function KeyUse({ apiKey }: { readonly apiKey: ApiKey }) {
  const bounds = limitsText(apiKey.limits);
  return (
    <Stack gap={0}>
      <Text size="sm" component="span" style={{ whiteSpace: 'nowrap' }} title="Rows since midnight UTC">
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

/** The rows delivered today, and the daily limit. */
export function usageText({ rowsToday, limits: { rowsPerDay } }: Pick<ApiKey, 'rowsToday' | 'limits'>): string {
  const rows = rowsPerDay === null ? formatCount(rowsToday) : `${formatCount(rowsToday)} of ${formatCount(rowsPerDay)}`;
  return `${rows} ${rowsPerDay === null && rowsToday === 1 ? 'row' : 'rows'}`;
}

/** The other limits; empty if there are none. */
export function limitsText({ callsPerSecond, concurrent }: KeyLimits): string {
  const rate =
    callsPerSecond === null ? [] : [`${formatCount(callsPerSecond)} ${callsPerSecond === 1 ? 'call' : 'calls'} per second`];
  const concurrency = concurrent === null ? [] : [`${formatCount(concurrent)} at a time`];
  return [...rate, ...concurrency].join(', ');
}

const formatCount = (count: number): string => count.toLocaleString('en');
