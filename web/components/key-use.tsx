import { Stack, Text } from '@mantine/core';
import type { KeyLimits } from '../app/api-types.ts';
import type { ApiKey } from '../app/wire.ts';
import { countText } from './count-text.ts';

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
  if (rowsPerDay === null) return countText(rowsToday, 'row');
  return `${rowsToday.toLocaleString('en')} of ${rowsPerDay.toLocaleString('en')} rows`;
}

/** The other limits; empty if there are none. */
export function limitsText({ callsPerSecond, concurrent }: KeyLimits): string {
  const rate = callsPerSecond === null ? [] : [`${countText(callsPerSecond, 'call')} per second`];
  const concurrency = concurrent === null ? [] : [`${concurrent.toLocaleString('en')} at a time`];
  return [...rate, ...concurrency].join(', ');
}
