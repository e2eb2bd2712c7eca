import { z } from 'zod';
import { DEFAULT_KEY_DAYS, keyTools } from '../../access/api-key.ts';
import { type ApiKeys, MAX_KEY_DAYS, MAX_LIMITS } from '../../administration/api-keys.ts';
import { nameSchemas } from '../http/operation.ts';
import { idParams, listResponse, listQuery, listRequest, pathId, texts, time, timeOrNever } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const inEffect = z.number().nullable();
const limitsResponse = z
  .object({
    callsPerSecond: inEffect,
    rowsPerDay: inEffect.describe('A day begins at midnight UTC.'),
    concurrent: inEffect.describe('Queries that run at the same time.'),
  })
  .describe('The limits in effect: the lower of its own and the general limits; null: none.');

const tools = z.enum(keyTools);
const state = z.enum(['active', 'expired', 'revoked']);
const apiKeyResponse = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe('The beginning of the key, to recognize it.'),
  createdAt: time,
  lastUsedAt: timeOrNever.describe('Null: not used yet.'),
  expiresAt: timeOrNever.describe('Null: never.'),
  state,
  queries: texts.nullable().describe('Restricts the key to these queries; null: all that its user may run.'),
  tools: tools.describe(
    'What the MCP gateway offers to the key: `generic`, the general tools, or `typed`, a tool for each of its queries.',
  ),
  limits: limitsResponse,
  rowsToday: z.number().describe('Rows read since midnight UTC; a few seconds old.'),
});

const newApiKeyResponse = apiKeyResponse.extend({
  key: z.string().describe('The key itself. It is shown only once and not stored.'),
});

const limitSchema = (name: keyof typeof MAX_LIMITS, meaning: string) =>
  z.number().nullish().describe(`${meaning}; 1 to ${MAX_LIMITS[name]}.`);

const newApiKeyBody = z.object({
  name: z.string().describe('What it is for; 1 to 100 characters.'),
  expiresInDays: z
    .number()
    .nullish()
    .describe(
      `1 to ${MAX_KEY_DAYS}, or null for never; default: ${DEFAULT_KEY_DAYS}. A key never outlives the account's own expiry.`,
    ),
  queries: z.array(z.string()).max(500).nullish().describe('Technical names: restricts the key to these queries.'),
  tools: tools.optional().describe('`typed`: the MCP gateway offers a tool for each of its 1 to 40 queries; default: `generic`.'),
  limits: z
    .object({
      callsPerSecond: limitSchema('callsPerSecond', 'Calls a second'),
      rowsPerDay: limitSchema('rowsPerDay', 'Rows a day, which begins at midnight UTC'),
      concurrent: limitSchema('concurrent', 'Queries that run at the same time'),
    })
    .nullish()
    .describe('Limits of this key. They can be lower than the general limits, not higher.'),
});

const keyChangeBody = z.object({ name: newApiKeyBody.shape.name.optional() });

nameSchemas({
  KeyLimits: limitsResponse,
  KeyState: state,
  KeyTools: tools,
  ApiKey: apiKeyResponse,
  CreatedApiKey: newApiKeyResponse,
  NewApiKey: newApiKeyBody,
  ApiKeyChange: keyChangeBody,
});

export function apiKeyRoutes(apiKeys: ApiKeys): readonly ManagementRoute[] {
  return [...ownKeyRoutes(apiKeys), ...keysOfOthers(apiKeys)];
}

function ownKeyRoutes(apiKeys: ApiKeys): readonly ManagementRoute[] {
  const route = routesOf({ tag: 'API keys', keys: 'none' });
  return [
    route('GET', '/account/api-keys', 'My API keys, newest first, including expired and revoked ones', {
      id: 'listApiKeys',
      query: listQuery,
      response: listResponse(apiKeyResponse),
      handle: ({ principal, query }) => apiKeys.list(principal, listRequest(query)),
    }),
    route('POST', '/account/api-keys', 'Create an API key; at most five are active at a time', {
      id: 'createApiKey',
      body: newApiKeyBody,
      response: newApiKeyResponse,
      created: true,
      action: 'key.create',
      failures: ['LimitReached'],
      example: { body: { name: 'Nightly report', expiresInDays: 30, queries: ['QD_Best_sellers_Demo'] } },
      handle: ({ principal, body, draft }) => apiKeys.create(principal, body, draft),
    }),
    route('PATCH', '/account/api-keys/:id', 'Rename an API key', {
      id: 'changeApiKey',
      body: keyChangeBody,
      response: apiKeyResponse,
      action: 'key.update',
      handle: ({ principal, id, body, draft }) => apiKeys.rename(principal, id, body.name, draft),
    }),
    route('DELETE', '/account/api-keys/:id', 'Revoke an API key; access ends immediately', {
      id: 'revokeApiKey',
      response: null,
      action: 'key.revoke',
      handle: ({ principal, id, draft }) => apiKeys.revoke(principal, id, draft),
    }),
  ];
}

function keysOfOthers(apiKeys: ApiKeys): readonly ManagementRoute[] {
  const route = routesOf({ tag: 'Users', needs: 'users.manage', visibleWith: ['users.manage'], keys: 'none' });
  return [
    route('GET', '/users/:id/api-keys', "A user's API keys, newest first", {
      id: 'listUserApiKeys',
      query: listQuery,
      response: listResponse(apiKeyResponse),
      failures: ['PermissionDenied'],
      handle: ({ principal, id, query }) => apiKeys.listFor(principal, id, listRequest(query)),
    }),
    route('POST', '/users/:id/api-keys', 'Create an API key of an application; at most five are active at a time', {
      id: 'createUserApiKey',
      body: newApiKeyBody,
      response: newApiKeyResponse,
      created: true,
      action: 'key.create',
      failures: ['PermissionDenied', 'StateConflict', 'LimitReached'],
      handle: ({ principal, id, body, draft }) => apiKeys.createFor(principal, id, body, draft),
    }),
    route('DELETE', '/users/:id/api-keys', "Revoke all of a user's API keys", {
      id: 'revokeUserApiKeys',
      response: null,
      action: 'key.revoke',
      failures: ['PermissionDenied'],
      handle: ({ principal, id, draft }) => apiKeys.revokeAllFor(principal, id, draft),
    }),
    route('DELETE', '/users/:id/api-keys/:keyId', "Revoke one of a user's API keys", {
      id: 'revokeUserApiKey',
      params: idParams.extend({ keyId: pathId }),
      response: null,
      action: 'key.revoke',
      failures: ['PermissionDenied'],
      handle: ({ principal, id, params, draft }) => apiKeys.revokeFor(principal, id, params.keyId, draft),
    }),
  ];
}
