import { Alert, Textarea, TextInput } from '@mantine/core';
import type { FocusEvent } from 'react';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconAlertTriangle } from '../components/icons.tsx';

export interface EmbedLinkFieldsProps {
  readonly url: string;
  readonly iframeCode: string;
  readonly neverExpires: boolean;
}

/** The URL and the iframe code, with a warning. */
export function EmbedLinkFields({ url, iframeCode, neverExpires }: EmbedLinkFieldsProps) {
  return (
    <>
      <TextInput
        label="Embed URL"
        readOnly
        value={url}
        onFocus={selectAll}
        rightSection={url === '' ? null : <CopyButton value={url} label="Copy URL" />}
      />
      <Textarea
        label="iframe code"
        readOnly
        autosize
        minRows={3}
        maxRows={5}
        value={iframeCode}
        onFocus={selectAll}
        rightSection={iframeCode === '' ? null : <CopyButton value={iframeCode} label="Copy code" />}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12, overflowWrap: 'anywhere' } }}
      />
      <TextInput
        label="Image URL"
        description="For mail and chat. Add &format=png for a PNG."
        readOnly
        value={imageUrlOf(url)}
        onFocus={selectAll}
        rightSection={url === '' ? null : <CopyButton value={imageUrlOf(url)} label="Copy image address" />}
      />
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        Anyone with this URL can see the chart’s data
        {neverExpires ? '. It never expires; to end access, revoke it under Embeds.' : ' until the token expires.'}
      </Alert>
    </>
  );
}

const imageUrlOf = (url: string): string => url.replace('/RenderByToken?', '/RenderImage?');

const selectAll = ({ currentTarget }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>): void => currentTarget.select();
