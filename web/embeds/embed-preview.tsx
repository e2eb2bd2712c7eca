import { Paper } from '@mantine/core';

const NOTES_HEIGHT = 40;
const LOWEST = 200;

export interface EmbedPreviewProps {
  readonly url: string; // an EmbedUrl
  readonly title: string;
  readonly chartHeight: number;
}

/** The chart as another page would show it. */
export function EmbedPreview({ url, title, chartHeight }: EmbedPreviewProps) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <iframe
        key={url} // a new token is a new page, not a step in the history
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

/** The address for others may be a proxy's, and this page frames nothing but its own host. */
function onThisHost(url: string): string {
  const { pathname, search } = new URL(url, window.location.origin);
  return pathname + search;
}
