import { Button, Group, Input, LoadingOverlay, Modal, Stack, Text } from '@mantine/core';
import type { ChartConfig } from '../../src/charts/chart-config.ts';
import { IconRefresh } from '../components/icons.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { Time } from '../components/time.tsx';
import { EmbedLinkFields } from '../embeds/embed-link-fields.tsx';
import { EmbedPreview } from '../embeds/embed-preview.tsx';
import { ExpirationSelect } from '../embeds/expiration-select.tsx';
import type { EmbedLinkState } from './use-embed-link.ts';

export interface EmbedDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly embed: EmbedLinkState;
  readonly config: ChartConfig;
}

/** The link to the chart, which works without signing in. */
export function EmbedDialog({ opened, onClose, embed, config }: EmbedDialogProps) {
  const { link, expiration, choose, differs, isPending, error, regenerate } = embed;
  return (
    <Modal opened={opened} onClose={onClose} title="Get Embed URL" size="lg">
      <Stack gap="md">
        <Stack gap={6}>
          <Group align="flex-end" grow preventGrowOverflow={false}>
            <ExpirationSelect value={expiration} onChange={choose} disabled={isPending} />
            <Button
              variant={differs ? 'filled' : 'default'}
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={isPending}
              onClick={regenerate}
            >
              Regenerate Token
            </Button>
          </Group>
          <Text size="xs" c="dimmed" role="status">
            {link === null ? 'Creating the token…' : <Expiry at={link.ExpiresAt} differs={differs} />}
          </Text>
        </Stack>
        <ProblemAlert error={error} title="The token was not created" />
        <EmbedLinkFields
          url={link?.EmbedUrl ?? ''}
          iframeCode={link?.IframeCode ?? ''}
          neverExpires={link !== null && link.ExpiresAt === null}
        />
        <Stack gap={4} pos="relative" mih={120}>
          <Input.Label component="div">Preview</Input.Label>
          {link === null ? (
            <LoadingOverlay visible={isPending} />
          ) : (
            <EmbedPreview url={link.EmbedUrl} title={config.title} chartHeight={config.chartHeight} />
          )}
        </Stack>
      </Stack>
    </Modal>
  );
}

function Expiry({ at, differs }: { readonly at: string | null; readonly differs: boolean }) {
  return (
    <>
      {at === null ? 'This URL never expires' : 'This URL expires '}
      <Time at={at} never="" />.{' '}
      {differs
        ? 'Press Regenerate Token to apply the new expiration. The current URL then stops working immediately.'
        : 'Regenerate Token creates a new URL. The current one then stops working immediately.'}
    </>
  );
}
