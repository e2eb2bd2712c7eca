import type { Embed } from '../../access/embed.ts';
import { escapeHtml } from '../../charts/option/tooltip.ts';

export const RENDER_PATH = '/api/v1/EmbeddedChart/RenderByToken';

/** The response of GetEmbedUrl and Regenerate. */
export function embedLink(baseUrl: string, { embed, token }: { embed: Embed; token: string }) {
  const url = embedUrl(baseUrl, token);
  return {
    Id: embed.id,
    Token: token,
    EmbedUrl: url,
    IframeCode: iframeCode(url, embed.chart),
    ExpiresAt: embed.expiresAt === null ? null : new Date(embed.expiresAt).toISOString(),
  };
}

export const IMAGE_PATH = '/api/v1/EmbeddedChart/RenderImage';
export const imageUrl = (baseUrl: string, token: string): string => `${baseUrl}${IMAGE_PATH}?token=${token}`;
export const embedUrl = (baseUrl: string, token: string): string => `${baseUrl}${RENDER_PATH}?token=${token}`;

/** The options of a chart, as sent to GetEmbedUrl. */
export const chartOnWire = ({ moreDataColumns, ...chart }: Embed['chart']) => ({
  ...chart,
  dataColumn: moreDataColumns.length === 0 ? chart.dataColumn : [chart.dataColumn, ...moreDataColumns],
});

/** The frame is sandboxed; its height leaves room for notes below the chart. */
export function iframeCode(url: string, { title, chartHeight }: Embed['chart']): string {
  const name = escapeHtml(title.trim() === '' ? 'Chart' : title);
  return (
    `<iframe src="${escapeHtml(url)}" title="${name}" width="100%" height="${chartHeight + NOTES_HEIGHT}"` +
    ' style="border:0" loading="lazy" referrerpolicy="no-referrer" sandbox="allow-scripts allow-downloads"></iframe>'
  );
}

const NOTES_HEIGHT = 40;
