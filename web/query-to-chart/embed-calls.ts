import type { EmbedLink } from '../app/api-types.ts';
import { call, type QueryOf } from '../app/api.ts';
import type { Embed } from '../app/wire.ts';
import { daysOf, type Expiration, findNearestExpiration } from '../embeds/expiration.ts';
import type { EmbedChoices, EmbeddedChart, MadeLink } from './use-embed-link.ts';

export type EmbedAct = 'create' | 'edit' | 'apply' | 'regenerate';
type EmbedCall = (
  chart: EmbeddedChart | null,
  choices: EmbedChoices,
  link: EmbedLink | null,
  embedId: string | undefined,
) => Promise<MadeLink>;

/** How the dialog creates and changes an embed. */
export const embedCalls: Readonly<Record<EmbedAct, EmbedCall>> = {
  create: async (chart, { expiration, theme, frameAncestors }) => {
    if (chart === null) throw new Error('There is no chart yet.');
    const config = { ...chart.config, theme, frameAncestors };
    const query = embedQuery({ ...chart, config }, expiration);
    return { expiration, link: await call('POST /api/v1/EmbeddedChart/GetEmbedUrl', { query }) };
  },
  // the lifetime stays
  edit: async (chart, { theme, frameAncestors }, _link, id = '') => {
    if (chart === null) throw new Error('There is no chart yet.');
    const { moreDataColumns, dataColumn, ...options } = { ...chart.config, theme, frameAncestors };
    const body = { options: { ...options, dataColumn: [dataColumn, ...moreDataColumns] } };
    return linkOf(await call('PATCH /api/v1/embeds/{id}', { params: { id }, body }));
  },
  apply: async (_chart, { expiration }, link) => {
    const body = { expirationDays: daysOf(expiration) };
    return linkOf(await call('PATCH /api/v1/embeds/{id}', { params: { id: link?.Id ?? '' }, body }));
  },
  regenerate: async (_chart, { expiration }, link) => {
    const input = { params: { id: link?.Id ?? '' }, body: { expirationDays: daysOf(expiration) } };
    return { expiration, link: await call('POST /api/v1/embeds/{id}/regenerate', input) };
  },
};

const linkOf = ({ id, embedUrl, iframeCode, expiresAt, expirationDays }: Embed): MadeLink => ({
  expiration: findNearestExpiration(expirationDays),
  link: { Id: id, Token: tokenOf(embedUrl ?? ''), EmbedUrl: embedUrl ?? '', IframeCode: iframeCode ?? '', ExpiresAt: expiresAt },
});

const tokenOf = (url: string): string => new URLSearchParams(url.split('?')[1] ?? '').get('token') ?? '';

/** The parameters of GetEmbedUrl. */
function embedQuery(
  { queryName, parameters, config }: EmbeddedChart,
  expiration: Expiration,
): QueryOf<'POST /api/v1/EmbeddedChart/GetEmbedUrl'> {
  const {
    showToolbar,
    showDataLabels,
    showGrid,
    showLegend,
    enableZoom,
    enableAnimations,
    patterns,
    moreDataColumns,
    dataColumn,
    seriesColumn,
    ...others
  } = config;
  return {
    queryName,
    ...(parameters.length === 0 ? {} : { parameters: JSON.stringify(parameters) }),
    ...others,
    dataColumn: moreDataColumns.length === 0 ? dataColumn : [dataColumn, ...moreDataColumns],
    ...(seriesColumn === null ? {} : { seriesColumn }),
    chartHeight: String(config.chartHeight),
    animationSpeed: String(config.animationSpeed),
    barWidth: String(config.barWidth),
    showToolbar: word(showToolbar),
    showDataLabels: word(showDataLabels),
    showGrid: word(showGrid),
    showLegend: word(showLegend),
    enableZoom: word(enableZoom),
    enableAnimations: word(enableAnimations),
    patterns: word(patterns),
    expirationDays: expiration,
  };
}

const word = (on: boolean): 'true' | 'false' => (on ? 'true' : 'false');
