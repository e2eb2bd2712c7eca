import { Modal, Stack } from '@mantine/core';
import type { Embed } from '../app/wire.ts';
import { EmbedLinkFields } from './embed-link-fields.tsx';
import { EmbedPreview } from './embed-preview.tsx';
import { chartHeightOf, embedTitle } from './embed-texts.ts';

/** The chart as its viewers see it, with its URL and code. */
export function PreviewDialog({ embed, onClose }: { readonly embed: Embed; readonly onClose: () => void }) {
  const { embedUrl, iframeCode, expiresAt } = embed;
  if (embedUrl === null || iframeCode === null) return null;
  return (
    <Modal opened onClose={onClose} title={embedTitle(embed)} size="lg">
      <Stack gap="md">
        <EmbedPreview url={embedUrl} title={embedTitle(embed)} chartHeight={chartHeightOf(embed)} />
        <EmbedLinkFields url={embedUrl} iframeCode={iframeCode} neverExpires={expiresAt === null} />
      </Stack>
    </Modal>
  );
}
