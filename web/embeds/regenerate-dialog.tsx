import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api.ts';
import type { Embed } from '../app/wire.ts';
import { IconRefresh } from '../components/icons.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { Time } from '../components/time.tsx';
import { EmbedLinkFields } from './embed-link-fields.tsx';
import { embedTitle } from './embed-texts.ts';
import { ExpirationSelect } from './expiration-select.tsx';
import { daysOf, type Expiration, findNearestExpiration } from './expiration.ts';

/** Issues a new token for an embedded chart. */
export function RegenerateDialog({ embed, onClose }: { readonly embed: Embed; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [expiration, setExpiration] = useState<Expiration>(findNearestExpiration(embed.expirationDays));
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () =>
      call('POST /api/v1/embeds/{id}/regenerate', { params: { id: embed.id }, body: { expirationDays: daysOf(expiration) } }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['embeds'] }),
  });
  return (
    <Modal opened onClose={onClose} title={`New token for “${embedTitle(embed)}”`} size="lg">
      <Stack gap="md">
        <Text size="sm">The current URL stops working immediately. Pages that embed the chart need the new one.</Text>
        <ExpirationSelect value={expiration} onChange={setExpiration} disabled={isPending} />
        <ProblemAlert error={error} />
        {data !== undefined && (
          <>
            <Text size="sm" c="dimmed" role="status">
              {data.ExpiresAt === null ? 'The new token never expires.' : 'The new token expires '}
              {data.ExpiresAt !== null && (
                <>
                  <Time at={data.ExpiresAt} />.
                </>
              )}
            </Text>
            <EmbedLinkFields url={data.EmbedUrl} iframeCode={data.IframeCode} neverExpires={data.ExpiresAt === null} />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {data === undefined ? 'Cancel' : 'Close'}
          </Button>
          <Button leftSection={<IconRefresh size={16} aria-hidden />} loading={isPending} onClick={() => mutate()}>
            Regenerate Token
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
