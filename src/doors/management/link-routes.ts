import { z } from 'zod';
import { DEFAULT_LINK_DAYS, isLifetime, MAX_DAYS } from '../../access/share.ts';
import type { Links, LinkView } from '../../administration/links.ts';
import { mapResult, succeeded } from '../../core/errors.ts';
import { pathNameOf } from '../../results/file-name.ts';
import { nameSchemas, runFailures } from '../http/operation.ts';
import { fileFormat } from '../wire/export-fields.ts';
import { listQuery, listRequest, listResponse, texts, time, timeOrNever } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';
import { sentValues, valuesOf } from './query-wire.ts';

const value = z.string().nullable();

/** What data links and embeds have in common. */
export const shareFields = {
  id: z.string(),
  queryName: z.string(),
  parameters: z.record(z.string(), z.union([value, z.array(value).readonly()])).describe('Values by name; of a list an array.'),
  issuer: z.string().describe('User name. Views run with the rights of this user at that time.'),
  createdAt: time,
  issuedAt: time.describe('When the current token was issued.'),
  expiresAt: timeOrNever.describe('Null: never.'),
  state: z.enum(['valid', 'expired']),
  views: z.number().int(),
};

const linkResponse = z.object({
  ...shareFields,
  name: z.string(),
  url: z.string().nullable().describe('Null for links of other users in the list of an Administrator.'),
  format: fileFormat,
  open: texts.describe('The parameters that readers may send in the query string.'),
  asIssuer: z.boolean().describe('Every reader sees the rows that the identity of the issuer selects.'),
  expiresInDays: z.number().nullable().describe('Null: never.'),
  lastUsedAt: timeOrNever.describe('Null: never used.'),
});

const EXPECTED_DAYS = `Expected a whole number of days from 1 to ${MAX_DAYS}, or null for never.`;
const days = z.number(EXPECTED_DAYS).refine(isLifetime, EXPECTED_DAYS).nullable();
const linkBody = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Expected 1 to 200 characters.')
    .max(200, 'Expected 1 to 200 characters.')
    .refine((text) => !/\p{Cc}/u.test(text), 'It must not contain control characters.')
    .describe('1 to 200 characters; the file in the address has this name.'),
  queryName: z.string().max(1000).describe('Technical name.'),
  parameters: sentValues,
  open: z.array(z.string().max(200)).max(100).optional().describe('Parameters that readers may send in the query string.'),
  format: fileFormat,
  expiresInDays: days.optional().describe(`1 to ${MAX_DAYS}; null: never; default ${DEFAULT_LINK_DAYS}.`),
  asIssuer: z
    .boolean()
    .optional()
    .describe('Required for a query whose parameters are bound to the caller: every reader may see your rows.'),
});

const regenerateBody = z.object({
  expiresInDays: days.optional().describe('Left out: the same lifetime again. null: no expiry.'),
});

nameSchemas({ DataLink: linkResponse, NewDataLink: linkBody, DataLinkRegeneration: regenerateBody });

const route = routesOf({ tag: 'Data', keys: 'whole' });

export function linkRoutes(links: Links, baseUrl: () => string): readonly ManagementRoute[] {
  // the address ends with a file name, by which programs recognize the format
  const urlOf = (token: string, { name, format }: Omit<LinkView, 'token'>): string =>
    `${baseUrl()}/data/${token}/${encodeURIComponent(pathNameOf(name, format))}`;
  const toWire = ({ token, ...view }: LinkView) => ({ ...view, url: token === null ? null : urlOf(token, view) });
  return [
    route('GET', '/links', "My data links, newest first; for an Administrator everyone's", {
      id: 'listLinks',
      query: listQuery,
      response: listResponse(linkResponse),
      handle: async ({ principal, query }) => {
        const { items, nextCursor } = await links.list(principal, listRequest(query));
        return succeeded({ items: items.map(toWire), nextCursor });
      },
    }),
    route('POST', '/links', 'Create an address that returns the current rows of a query without a credential', {
      id: 'createLink',
      needs: 'links.create',
      body: linkBody,
      response: linkResponse,
      created: true,
      action: 'link.create',
      failures: [...runFailures, 'KeyLimited', 'LimitReached', 'BoundToCaller'],
      example: { body: { name: 'Sales by region', queryName: 'QD_Sales_by_region_Demo', format: 'csv', expiresInDays: 30 } },
      handle: async ({ principal, body, call, draft }) => {
        const { parameters, open = [], expiresInDays = DEFAULT_LINK_DAYS, asIssuer = false, ...rest } = body;
        const input = { ...rest, open, asIssuer, days: expiresInDays, parameters: valuesOf(parameters) };
        return mapResult(await links.create(principal, input, call, draft), toWire);
      },
    }),
    route('POST', '/links/:id/regenerate', 'Give a data link a new token; the previous one ends immediately', {
      id: 'regenerateLink',
      body: regenerateBody,
      bodyOptional: true,
      response: linkResponse,
      action: 'link.regenerate',
      failures: ['PermissionDenied', 'KeyLimited'],
      handle: async ({ principal, id, body: { expiresInDays }, draft }) =>
        mapResult(await links.regenerate(principal, id, expiresInDays, draft), toWire),
    }),
    route('DELETE', '/links/:id', 'Revoke a data link; its address ends immediately', {
      id: 'revokeLink',
      response: null,
      action: 'link.revoke',
      handle: ({ principal, id, draft }) => links.revoke(principal, id, draft),
    }),
  ];
}
