import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { IconRefresh } from '../components/icons.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { Time } from '../components/time.tsx';
import { ExpirationSelect } from './expiration-select.tsx';
import { daysOf, type Expiration, findNearestExpiration } from './expiration.ts';
import type { Share, ShareKind } from './share-kind.ts';

export interface RegenerateDialogProps<S extends Share> {
  readonly kind: ShareKind<S>;
  readonly share: S;
  readonly onClose: () => void;
}

/** Issues a new token for an embed or a data link. */
export function RegenerateDialog<S extends Share>({ kind, share, onClose }: RegenerateDialogProps<S>) {
  const queryClient = useQueryClient();
  const [expiration, setExpiration] = useState<Expiration>(findNearestExpiration(kind.daysOf(share)));
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => kind.regenerate(share, daysOf(expiration)),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [kind.key] }),
  });
  return (
    <Modal opened onClose={onClose} title={`New token for “${kind.nameOf(share)}”`} size="lg">
      <Stack gap="md">
        <Text size="sm">{kind.regenerateText}</Text>
        <ExpirationSelect value={expiration} onChange={setExpiration} disabled={isPending} />
        <ProblemAlert error={error} />
        {data !== undefined && (
          <>
            <Text size="sm" c="dimmed" role="status">
              {data.expiresAt === null ? (
                'The new token never expires.'
              ) : (
                <>
                  The new token expires <Time at={data.expiresAt} />.
                </>
              )}
            </Text>
            {data.fields}
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
