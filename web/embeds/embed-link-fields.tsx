import { Alert, Textarea } from '@mantine/core';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconAlertTriangle } from '../components/icons.tsx';
import { AddressField, selectAll } from '../shares/address-field.tsx';

export interface EmbedLinkFieldsProps {
  readonly url: string;
  readonly iframeCode: string;
  readonly neverExpires: boolean;
  readonly isSigned?: boolean; // a view needs the token of a viewer
}

/** The URL and the iframe code, with a warning. */
export function EmbedLinkFields({ url, iframeCode, neverExpires, isSigned = false }: EmbedLinkFieldsProps) {
  return (
    <>
      <AddressField label="Embed URL" url={url} copyLabel="Copy URL" />
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
      <AddressField
        label="Image URL"
        description={
          isSigned ? 'Add &viewer= with a token, and &format=png for a PNG.' : 'For mail and chat. Add &format=png for a PNG.'
        }
        url={url.replace('/RenderByToken?', '/RenderImage?')}
        copyLabel="Copy image address"
      />
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        {isSigned
          ? 'The URL shows the chart only together with a token that your server signs for a viewer'
          : 'Anyone with this URL can see the chart’s data'}
        {neverExpires
          ? '. It never expires; to end access, revoke it under Embeds.'
          : isSigned
            ? '.'
            : ' until the token expires.'}
      </Alert>
    </>
  );
}
