import type { Embed } from '../../access/share.ts';
import { escapeHtml } from '../../charts/option/tooltip.ts';

export const RENDER_PATH = '/api/v1/EmbeddedChart/RenderByToken';

/** The response of GetEmbedUrl and Regenerate. */
export function embedLink(baseUrl: string, { embed, token }: { embed: Embed; token: string }) {
  const url = embedUrl(baseUrl, token);
  return {
    Id: embed.id,
    Token: token,
    EmbedUrl: url,
    IframeCode: iframeCode(url, embed),
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
export function iframeCode(url: string, { chart: { title, chartHeight }, viewer, open }: FramedEmbed): string {
  const isForm = viewer === 'signed' || open.length > 0; // sends values or the token of a viewer
  const height = chartHeight + NOTES_HEIGHT + (open.length > 0 ? FIELDS_HEIGHT : 0);
  const name = escapeHtml(title.trim() === '' ? 'Chart' : title);
  return (
    `<iframe src="${escapeHtml(url)}" title="${name}" width="100%" height="${height}"` +
    ` style="border:0" loading="lazy" referrerpolicy="no-referrer" sandbox="${sandboxOf(isForm)}"></iframe>`
  );
}

type FramedEmbed = Pick<Embed, 'viewer' | 'open'> & { readonly chart: Pick<Embed['chart'], 'title' | 'chartHeight'> };

export const sandboxOf = (isForm: boolean): string => `allow-scripts allow-downloads${isForm ? ' allow-forms' : ''}`;

const NOTES_HEIGHT = 40;
const FIELDS_HEIGHT = 60;
