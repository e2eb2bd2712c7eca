import { Paper } from '@mantine/core';

const NOTES_HEIGHT = 40;
const LOWEST = 200;

export interface EmbedPreviewProps {
  readonly url: string; // an EmbedUrl
  readonly title: string;
  readonly chartHeight: number;
}

/** The chart in an iframe, as on another page. */
export function EmbedPreview({ url, title, chartHeight }: EmbedPreviewProps) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <iframe
        key={url} // a new URL replaces the iframe, without a history entry
        src={onThisHost(url)}
        title={`Preview of ${title.trim() === '' ? 'the chart' : title}`}
        width="100%"
        height={Math.max(LOWEST, chartHeight + NOTES_HEIGHT)}
        style={{ border: 0, display: 'block' }}
        sandbox="allow-scripts allow-downloads"
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
