import { Paper } from '@mantine/core';

const LOWEST = 200;

export interface EmbedPreviewProps {
  readonly url: string; // an EmbedUrl
  readonly title: string;
  readonly iframeCode: string; // has the height
}

/** The chart in an iframe, as on a page that has the iframe code. */
export function EmbedPreview({ url, title, iframeCode }: EmbedPreviewProps) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <iframe
        key={url} // a new URL replaces the iframe, without a history entry
        src={onThisHost(url)}
        title={`Preview of ${title.trim() === '' ? 'the chart' : title}`}
        width="100%"
        height={Math.max(LOWEST, Number(/height="(\d+)"/.exec(iframeCode)?.[1] ?? 0))}
        style={{ border: 0, display: 'block' }}
        sandbox="allow-scripts allow-downloads allow-forms"
        referrerPolicy="no-referrer"
      />
    </Paper>
  );
}

/** The public URL may be that of a proxy, and this page may embed only its own host. */
function onThisHost(url: string): string {
  const { pathname, search } = new URL(url, window.location.origin);
  return `${pathname}${search}&preview=true`; // not counted as a view
}
