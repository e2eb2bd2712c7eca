import { Stack, Text } from '@mantine/core';
import type { ApiKey } from '../app/wire.ts';
import { boundsText, useText } from './key-use-text.ts';

/** What a key has had today, beside what it may have. */
export function KeyUse({ apiKey }: { readonly apiKey: ApiKey }) {
  const bounds = boundsText(apiKey.limits);
  return (
    <Stack gap={0}>
      <Text size="sm" component="span" title="Rows since midnight UTC">
        {useText(apiKey)}
      </Text>
      {bounds !== '' && (
        <Text size="xs" c="dimmed" component="span">
          {bounds}
        </Text>
      )}
    </Stack>
  );
}
