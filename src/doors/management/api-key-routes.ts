import { z } from 'zod';
import { DEFAULT_KEY_DAYS } from '../../access/api-key.ts';
import { type ApiKeys, MAX_KEY_DAYS } from '../../administration/keys/api-keys.ts';
import { MAX_LIMITS } from '../../administration/keys/key-limit-fields.ts';
import { idParams, listResponse, listQuery, listRequest, pathId, time, timeOrNever } from './list-query.ts';
import { type ManagementRoute, managementRoute } from './management-route.ts';

const inEffect = z.number().nullable();
const limitsResponse = z
  .object({
    callsPerSecond: inEffect,
    rowsPerDay: inEffect.describe('A day begins at midnight UTC.'),
    concurrent: inEffect.describe('Queries that run at the same time.'),
  })
  .describe('The limits in effect: the lower of its own and the general limits; null: none.');

const apiKeyResponse = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe('The beginning of the key, to recognise it.'),
  createdAt: time,
  lastUsedAt: timeOrNever.describe('Null: not used yet.'),
  expiresAt: timeOrNever.describe('Null: never.'),
  state: z.enum(['active', 'expired', 'revoked']),
  queries: z
    .array(z.string())
    .readonly()
    .nullable()
    .describe('Restricts the key to these queries; null: all that its user may run.'),
  limits: limitsResponse,
  rowsToday: z.number().describe('Rows read since midnight UTC; a few seconds old.'),
});

const newApiKeyResponse = apiKeyResponse.extend({
  key: z.string().describe('The key itself. It is shown only once and not stored.'),
});

const ownLimit = (name: keyof typeof MAX_LIMITS, meaning: string) =>
  z.number().nullable().optional().describe(`${meaning}; 1 to ${MAX_LIMITS[name]}.`);

const newApiKeyBody = z.object({
  name: z.string().describe('What it is for; 1 to 100 characters.'),
  expiresInDays: z
    .number()
    .nullable()
    .optional()
    .describe(
      `1 to ${MAX_KEY_DAYS}, or null for never; left out: ${DEFAULT_KEY_DAYS}. A key never outlives the account's own expiry.`,
    ),
  queries: z.array(z.string()).max(500).nullable().optional().describe('Technical names: restricts the key to these queries.'),
  limits: z
    .object({
      callsPerSecond: ownLimit('callsPerSecond', 'Calls a second'),
      rowsPerDay: ownLimit('rowsPerDay', 'Rows a day, which begins at midnight UTC'),
      concurrent: ownLimit('concurrent', 'Queries that run at the same time'),
    })
    .nullable()
    .optional()
    .describe('Limits of this key. They can be lower than the general limits, not higher.'),
});

export function apiKeyRoutes(apiKeys: ApiKeys): readonly ManagementRoute[] {
  return [...ownKeys(apiKeys), ...keysOfOthers(apiKeys)];
}

function ownKeys(apiKeys: ApiKeys): readonly ManagementRoute[] {
  const tag = 'API keys';
  return [
    managementRoute({
      method: 'GET',
      path: '/account/api-keys',
      tag,
      summary: 'My API keys, newest first, including expired and revoked ones',
      query: listQuery,
      response: listResponse(apiKeyResponse),
      keys: 'none',
      handle: ({ principal, query }) => apiKeys.list(principal, listRequest(query)),
    }),
    managementRoute({
      method: 'POST',
      path: '/account/api-keys',
      tag,
      summary: 'Create an API key; at most five are active at a time',
      body: newApiKeyBody,
      response: newApiKeyResponse,
      created: true,
      keys: 'none',
      action: 'key.create',
      handle: ({ principal, body, draft }) => apiKeys.create(principal, body, draft),
    }),
    managementRoute({
      method: 'DELETE',
      path: '/account/api-keys/:id',
      tag,
      summary: 'Revoke an API key; access ends immediately',
      params: idParams,
      response: null,
      keys: 'none',
      action: 'key.revoke',
      handle: ({ principal, params, draft }) => apiKeys.revoke(principal, params.id, draft),
    }),
  ];
}

function keysOfOthers(apiKeys: ApiKeys): readonly ManagementRoute[] {
  const tag = 'Users';
  return [
    managementRoute({
      method: 'GET',
      path: '/users/:id/api-keys',
      tag,
      summary: "A user's API keys, newest first",
      params: idParams,
      query: listQuery,
      response: listResponse(apiKeyResponse),
      needs: 'users.manage',
      visibleWith: ['users.manage'],
      keys: 'none',
      handle: ({ principal, params, query }) => apiKeys.listFor(principal, params.id, listRequest(query)),
    }),
    managementRoute({
      method: 'DELETE',
      path: '/users/:id/api-keys',
      tag,
      summary: "Revoke all of a user's API keys",
      params: idParams,
      response: null,
      needs: 'users.manage',
      visibleWith: ['users.manage'],
      keys: 'none',
      action: 'key.revoke',
      handle: ({ principal, params, draft }) => apiKeys.revokeAllFor(principal, params.id, draft),
    }),
    managementRoute({
      method: 'DELETE',
      path: '/users/:id/api-keys/:keyId',
      tag,
      summary: "Revoke one of a user's API keys",
      params: idParams.extend({ keyId: pathId }),
      response: null,
      needs: 'users.manage',
      visibleWith: ['users.manage'],
      keys: 'none',
      action: 'key.revoke',
      handle: ({ principal, params, draft }) => apiKeys.revokeFor(principal, params.id, params.keyId, draft),
    }),
  ];
}
