import { z } from 'zod';
import { embedViewers, isLifetime, MAX_DAYS } from '../../access/share.ts';
import type { Embeds, EmbedView } from '../../administration/embeds.ts';
import { aggregate, chartType, sentChartOptions, sortBy, timeUnit } from '../../catalog/chart-fields.ts';
import type { ChartConfig } from '../../core/chart-config.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { mapResult, succeeded } from '../../core/errors.ts';
import { chartOnWire, embedLink, embedUrl, iframeCode, imageUrl } from '../embed/embed-link.ts';
import { nameSchemas } from '../http/operation.ts';
import { EXPECTED_SOURCES, FRAME_SOURCES, linkResponse, toDataColumns } from '../wire/embed-fields.ts';
import { shareFields } from './link-routes.ts';
import { listResponse, listQuery, listRequest, texts, timeOrNever } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const embedResponse = z.object({
  ...shareFields,
  title: z.string(),
  chart: z.record(z.string(), z.unknown()).describe('The options of the chart, as sent to GetEmbedUrl.'),
  viewer: z.enum(embedViewers).describe('Whose rows a view shows: those of the issuer, or of a viewer with a signed token.'),
  open: texts.describe('The parameters that viewers may choose.'),
  expirationDays: z.number().nullable().describe('Null: never.'),
  lastViewedAt: timeOrNever.describe('Null: never viewed.'),
  embedUrl: z.string().nullable().describe('Null for embeds of other users in the list of an Administrator.'),
  iframeCode: z.string().nullable(),
  imageUrl: z.string().nullable().describe('The chart as an SVG picture; with `&format=png` as PNG.'),
});

const embedPicture = z.object({ svg: z.string().nullable() });

const EXPECTED_DAYS = `Expected a whole number of days from 1 to ${MAX_DAYS}, "never" or null.`;
const regenerateBody = z.object({
  expirationDays: z
    .union([z.number().refine(isLifetime, EXPECTED_DAYS), z.literal('never'), z.null()], EXPECTED_DAYS)
    .optional()
    .describe('Left out: the same lifetime again. "never" or null: no expiry.'),
});

const lifetime = regenerateBody.shape.expirationDays.describe('From now on; unchanged if omitted. "never" or null: no expiry.');
const column = z.string().min(1).max(1000);
const embedOptions = z
  .object({
    chartType,
    labelColumn: column,
    dataColumn: z.union([column, z.array(column).min(1).max(20)], 'Expected the name of a column, or a list of 1 to 20.'),
    seriesColumn: column.nullable(),
    aggregate,
    sortBy,
    timeUnit,
    ...sentChartOptions,
    frameAncestors: z.string().refine((sent) => sent === '' || FRAME_SOURCES.test(sent), EXPECTED_SOURCES),
    viewer: z.enum(embedViewers),
    open: z.array(z.string().max(200)).max(100),
  })
  .partial();
const changeBody = z.object({
  expirationDays: lifetime,
  options: embedOptions.optional().describe('As in GetEmbedUrl; omitted ones stay unchanged.'),
});

/** The fields that were sent, as those of a chart. */
function chartChanges({ dataColumn, ...options }: Omit<z.output<typeof embedOptions>, 'viewer' | 'open'>): Partial<ChartConfig> {
  return { ...definedFields(options), ...toDataColumns(dataColumn === undefined ? undefined : [dataColumn].flat()) };
}

nameSchemas({
  Embed: embedResponse,
  EmbedPicture: embedPicture,
  EmbedRegeneration: regenerateBody,
  EmbedOptions: embedOptions,
  EmbedChange: changeBody,
});

const route = routesOf({ tag: 'Embeds', keys: 'whole' });

export function embedManagementRoutes(embeds: Embeds, baseUrl: () => string): readonly ManagementRoute[] {
  const toWire = ({ token, ...view }: EmbedView) => {
    const chart = chartOnWire(view.chart);
    if (token === null) return { ...view, chart, embedUrl: null, iframeCode: null, imageUrl: null };
    const url = embedUrl(baseUrl(), token);
    return { ...view, chart, embedUrl: url, iframeCode: iframeCode(url, view), imageUrl: imageUrl(baseUrl(), token) };
  };
  return [
    route('GET', '/embeds', "My embeds, newest first; for an Administrator everyone's", {
      id: 'listEmbeds',
      query: listQuery,
      response: listResponse(embedResponse),
      handle: async ({ principal, query }) => {
        const { items, nextCursor } = await embeds.list(principal, listRequest(query));
        return succeeded({ items: items.map(toWire), nextCursor });
      },
    }),
    route('GET', '/embeds/:id/picture', 'The last picture that was drawn of my embed, if the process has it; runs no query', {
      id: 'getEmbedPicture',
      response: embedPicture,
      handle: ({ principal, id }) => embeds.readPicture(principal, id),
    }),
    route('POST', '/embeds/:id/regenerate', 'Give an embed a new token; the previous one ends immediately', {
      id: 'regenerateEmbed',
      body: regenerateBody,
      bodyOptional: true,
      response: linkResponse,
      action: 'embed.regenerate',
      failures: ['PermissionDenied', 'KeyLimited'],
      handle: async ({ principal, id, body: { expirationDays }, draft }) => {
        const days = expirationDays === 'never' ? null : expirationDays;
        return mapResult(await embeds.regenerate(principal, id, days, draft), (issued) => embedLink(baseUrl(), issued));
      },
    }),
    route('PATCH', '/embeds/:id', 'Change lifetime and options of an embed; its link stays', {
      id: 'changeEmbed',
      body: changeBody,
      response: embedResponse,
      action: 'embed.change',
      failures: ['PermissionDenied', 'KeyLimited', 'ParameterUnknown', 'ParameterBound'],
      handle: async ({ principal, id, body: { expirationDays, options = {} }, draft }) => {
        const days = expirationDays === 'never' ? null : expirationDays;
        const { viewer, open, ...chart } = options;
        const changed = await embeds.change(principal, id, { days, viewer, open, chart: chartChanges(chart) }, draft);
        return mapResult(changed, toWire);
      },
    }),
    route('DELETE', '/embeds/:id', 'Revoke an embed; its link ends immediately', {
      id: 'revokeEmbed',
      response: null,
      action: 'embed.revoke',
      handle: ({ principal, id, draft }) => embeds.revoke(principal, id, draft),
    }),
  ];
}
