import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The MCP App that draws charts inside a conversation, built from web/chart-app. */
export const CHART_APP = 'ui://sluice/chart';

export const chartAppResource = {
  uri: CHART_APP,
  name: 'chart',
  title: 'Chart',
  description: 'Draws the result of execute_chart_query as an interactive chart.',
  mimeType: 'text/html;profile=mcp-app',
};

const FILE = join(import.meta.dirname, '..', '..', '..', 'dist', 'chart-app', 'chart.html');

/** The page, read once; null if it was not built. */
export const readChartApp = (): string | null => (existsSync(FILE) ? readFileSync(FILE, 'utf8') : null);

/** No address is allowed to the page: it has everything in it. */
export const chartAppContents = (text: string) => ({
  contents: [{ uri: CHART_APP, mimeType: chartAppResource.mimeType, text, _meta: { ui: { prefersBorder: true } } }],
});
