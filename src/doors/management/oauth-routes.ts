import { z } from 'zod';
import type { ConnectedApplications } from '../../administration/oauth/connected-applications.ts';
import { type Consent, DEFAULT_DAYS, MAX_DAYS } from '../../administration/oauth/consent.ts';
import type { RegisteredApplications } from '../../administration/oauth/registered-applications.ts';
import { nameSchemas } from '../http/operation.ts';
import { idParams, listQuery, listRequest, listResponse, pathId, texts, time, timeOrNever } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

export interface OAuthUseCases {
  readonly consent: Consent;
  readonly connectedApplications: ConnectedApplications;
  readonly registeredApplications: RegisteredApplications;
}

const source = z
  .enum(['registered', 'document', 'dynamic'])
  .describe(
    '`registered` by an administrator, by a metadata `document` of its host, or by itself: then its name is only claimed.',
  );
const identity = {
  source,
  documentHost: z.string().nullable().describe('The host that publishes its metadata document, which is verified; null: none.'),
};
const requestResponse = z.object({
  id: z.string(),
  application: z.object({ name: z.string(), clientId: z.string(), ...identity }),
  redirect: z
    .object({
      kind: z.enum(['web', 'loopback', 'app']).describe('A page, this computer, or an application of this computer.'),
      host: z.string().describe('Such as `claude.ai`, `127.0.0.1:4711` or `cursor:`.'),
    })
    .describe('Where the browser will be sent.'),
  scope: z.string(),
  user: z.string().describe('The user who is signed in and asked.'),
  defaultDays: z.number().int(),
  maxDays: z.number().int(),
});
const choiceBody = z.object({
  queries: z.array(z.string()).max(500).nullish().describe('Technical names; null or left out: all that the user may run.'),
  days: z.number().optional().describe(`How long the access lasts, 1 to ${MAX_DAYS}; default: ${DEFAULT_DAYS}.`),
});
const redirectResponse = z.object({ redirectTo: z.string().describe('The address to open in the same browser.') });

const connectedResponse = z.object({
  id: z.string(),
  name: z.string(),
  clientId: z.string(),
  ...identity,
  queries: texts.nullable().describe('Restricts it to these queries; null: all that the user may run.'),
  managed: z.boolean().describe('True if the company’s provider allowed it, not the person.'),
  createdAt: time,
  lastUsedAt: timeOrNever.describe('Null: not used yet.'),
  expiresAt: time,
});

const method = z.enum(['none', 'client_secret_basic']);
const managed = z.union([z.boolean(), texts], 'Expected true, false or a list of technical names.');
const registeredResponse = z.object({
  id: z.string(),
  clientId: z.string(),
  name: z.string(),
  redirectUris: texts,
  tokenEndpointAuthMethod: method,
  managed: managed.describe('Whether it may present identity assertions: for all queries, for these, or not.'),
  createdAt: time,
  lastUsedAt: timeOrNever,
  people: z.number().int().describe('How many users allow it to call for them now.'),
});
const newRegisteredResponse = registeredResponse.extend({
  clientSecret: z.string().optional().describe('It is shown only once and stored as a hash.'),
});
const registeredBody = z.object({
  name: z.string().describe('Shown to people who are asked; 1 to 100 characters.'),
  redirectUris: z
    .array(z.string().max(2000))
    .max(100)
    .describe('Where it receives codes; compared exactly, except ports of loopback.'),
  tokenEndpointAuthMethod: method.optional().describe('Default: `none`; with `managed`: `client_secret_basic`.'),
  managed: z
    .union([z.boolean(), z.array(z.string()).max(500)])
    .optional()
    .describe('It may exchange identity assertions of the company sign-in for access: to all queries, or to these.'),
});

nameSchemas({
  ApplicationSource: source,
  ApplicationRequest: requestResponse,
  ApplicationChoice: choiceBody,
  ApplicationRedirect: redirectResponse,
  ConnectedApplication: connectedResponse,
  RegisteredApplication: registeredResponse,
  CreatedApplication: newRegisteredResponse,
  NewApplication: registeredBody,
});

export function oauthRoutes(useCases: OAuthUseCases): readonly ManagementRoute[] {
  return [...consentRoutes(useCases), ...connectedRoutes(useCases), ...registeredRoutes(useCases)];
}

function consentRoutes({ consent }: OAuthUseCases): readonly ManagementRoute[] {
  const route = routesOf({ tag: 'Applications', keys: 'none' });
  return [
    route('GET', '/oauth/interactions/:id', 'What an AI application asks for, in the browser that it opened', {
      id: 'getApplicationRequest',
      response: requestResponse,
      handle: ({ principal, id, http }) => consent.get(principal, id, http),
    }),
    route('POST', '/oauth/interactions/:id/allow', 'Allow an AI application to run queries in my name', {
      id: 'allowApplication',
      body: choiceBody,
      response: redirectResponse,
      action: 'application.allow',
      failures: ['LimitReached'],
      handle: ({ principal, id, body, http, draft }) => consent.allow(principal, id, body, http, draft),
    }),
    route('POST', '/oauth/interactions/:id/cancel', 'Do not allow an AI application', {
      id: 'cancelApplication',
      response: redirectResponse,
      action: 'application.cancel',
      handle: ({ principal, id, http, draft }) => consent.cancel(principal, id, http, draft),
    }),
  ];
}

function connectedRoutes({ connectedApplications: connected }: OAuthUseCases): readonly ManagementRoute[] {
  const own = routesOf({ tag: 'Applications', keys: 'none' });
  const others = routesOf({ tag: 'Users', needs: 'users.manage', visibleWith: ['users.manage'], keys: 'none' });
  return [
    own('GET', '/account/applications', 'The AI applications that I allowed, newest first', {
      id: 'listApplications',
      query: listQuery,
      response: listResponse(connectedResponse),
      handle: ({ principal, query }) => connected.list(principal, listRequest(query)),
    }),
    own('DELETE', '/account/applications/:id', 'End the access of an AI application immediately', {
      id: 'endApplication',
      response: null,
      action: 'application.end',
      handle: ({ principal, id, draft }) => connected.end(principal, id, draft),
    }),
    others('GET', '/users/:id/applications', 'The AI applications that a user allowed, newest first', {
      id: 'listUserApplications',
      query: listQuery,
      response: listResponse(connectedResponse),
      failures: ['PermissionDenied'],
      handle: ({ principal, id, query }) => connected.listFor(principal, id, listRequest(query)),
    }),
    others('DELETE', '/users/:id/applications/:applicationId', 'End the access of an AI application of a user immediately', {
      id: 'endUserApplication',
      params: idParams.extend({ applicationId: pathId }),
      response: null,
      action: 'application.end',
      failures: ['PermissionDenied'],
      handle: ({ principal, id, params, draft }) => connected.endFor(principal, id, params.applicationId, draft),
    }),
  ];
}

function registeredRoutes({ registeredApplications: registered }: OAuthUseCases): readonly ManagementRoute[] {
  const route = routesOf({ tag: 'Applications', needs: 'settings.manage', keys: 'none' });
  return [
    route('GET', '/oauth/clients', 'The registered AI applications, newest first', {
      id: 'listRegisteredApplications',
      query: listQuery,
      response: listResponse(registeredResponse),
      handle: ({ query }) => registered.list(listRequest(query)),
    }),
    route('POST', '/oauth/clients', 'Register an AI application', {
      id: 'registerApplication',
      body: registeredBody,
      response: newRegisteredResponse,
      created: true,
      action: 'application.create',
      example: { body: { name: 'Our assistant', redirectUris: ['https://assistant.example.com/callback'] } },
      handle: ({ body, draft }) => registered.create(body, draft),
    }),
    route('DELETE', '/oauth/clients/:id', 'Remove a registered AI application; its access ends immediately', {
      id: 'removeRegisteredApplication',
      response: null,
      action: 'application.delete',
      handle: ({ id, draft }) => registered.remove(id, draft),
    }),
  ];
}
