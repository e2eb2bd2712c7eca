import { z } from 'zod';
import type { Embeds, EmbedView } from '../../administration/embeds/embeds.ts';
import { succeeded } from '../../errors.ts';
import { chartOnWire, embedLink, embedUrl, iframeCode } from '../embed/embed-link.ts';
import { linkResponse } from '../embed/embed-wire.ts';
import { nameSchemas } from '../http/operation.ts';
import { listResponse, listQuery, listRequest, time, timeOrNever } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const embedResponse = z.object({
  id: z.string(),
  queryName: z.string(),
  title: z.string(),
  chart: z.record(z.string(), z.unknown()).describe('The options of the chart, as sent to GetEmbedUrl.'),
  parameters: z.record(z.string(), z.string().nullable()).describe('Values by name.'),
  issuer: z.string().describe('User name. Views run with the rights of this user at that time.'),
  createdAt: time,
  issuedAt: time.describe('When the current token was issued.'),
  expirationDays: z.number().nullable().describe('Null: never.'),
  expiresAt: timeOrNever.describe('Null: never.'),
  state: z.enum(['valid', 'expired']),
  views: z.number().int(),
  lastViewedAt: timeOrNever.describe('Null: never viewed.'),
  embedUrl: z.string().nullable().describe('Null for embeds of other users in the list of an Administrator.'),
  iframeCode: z.string().nullable(),
});

const regenerateBody = z.object({
  expirationDays: z
    .union([z.number(), z.literal('never'), z.null()], 'Expected a whole number of days, "never" or null.')
    .optional()
    .describe('Left out: the same lifetime again. "never" or null: no expiry.'),
});

nameSchemas({ Embed: embedResponse, EmbedRegeneration: regenerateBody });

const route = routesOf({ tag: 'Embeds', keys: 'whole' });

export function embedManagementRoutes(embeds: Embeds, baseUrl: () => string): readonly ManagementRoute[] {
  const shown = ({ token, ...view }: EmbedView) => {
    const url = token === null ? null : embedUrl(baseUrl(), token);
    return {
      ...view,
      chart: chartOnWire(view.chart),
      embedUrl: url,
      iframeCode: url === null ? null : iframeCode(url, view.chart),
    };
  };
  return [
    route('GET', '/embeds', "My embeds, newest first; for an Administrator everyone's", {
      id: 'listEmbeds',
      query: listQuery,
      response: listResponse(embedResponse),
      handle: async ({ principal, query }) => {
        const page = await embeds.list(principal, listRequest(query));
        return page.ok ? succeeded({ ...page.value, items: page.value.items.map(shown) }) : page;
      },
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
        const issued = await embeds.regenerate(principal, id, days, draft);
        return issued.ok ? succeeded(embedLink(baseUrl(), issued.value)) : issued;
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
