import { randomUUID } from 'node:crypto';
import type { Caller } from '../../support/services/service.ts';

/** The targets of a row, created for each test by the administrator, so that no caller owns them. */
export interface Aim {
  readonly root: Caller;
  readonly queryName: string; // an Active query
  readonly queryId: string;
  next(): string; // an unused name
  newQuery(moves: readonly string[]): Promise<string>;
  newUser(): Promise<string>;
  newKey(): Promise<{ userId: string; keyId: string }>;
}

export interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

interface Row {
  readonly to?: (aim: Aim) => Sent | Promise<Sent>;
  /** anonymous, nobody, Query User, Author, Publisher, Security Administrator, Auditor, Administrator */
  readonly expected: string;
  /** Which keys of an Administrator get the same: `any` key (the default), even one that is narrowed to the query, or none. */
  readonly keys?: 'any' | 'even narrowed' | 'none';
}

const everyoneSignedIn = '401 200 200 200 200 200 200 200';
const runners = '401 403 200 200 200 403 403 200';
const authors = '401 403 403 200 200 403 403 200';
const managersOfUsers = '401 403 403 403 403 200 403 200';
const administrators = '401 403 403 403 403 403 403 200';

const call = ({ queryName }: Aim) => ({ QueryName: queryName, Parameters: [] });
const sql = { database: 'Demo', sql: 'select 1 as n', parameters: [] };
const file = { kind: 'sqlite', connection: { file: 'none.sqlite' } };
const ofQuery = (moves: readonly string[], body?: unknown) => async (aim: Aim) => ({
  params: { id: await aim.newQuery(moves) },
  ...(body === undefined ? {} : { body }),
});
const ofDraft = async (aim: Aim) => {
  const id = await aim.newQuery(['validate', 'activate']);
  await aim.root.call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 2 as n' });
  return { params: { id } };
};
const ofUser = (body?: unknown) => async (aim: Aim) => ({
  params: { id: await aim.newUser() },
  ...(body === undefined ? {} : { body }),
});
const ofViewer = async (aim: Aim) => ({ params: { id: await aim.newUser(), sub: 'ana' } });
const createAt = (path: string, bodyOf: (aim: Aim) => unknown, body?: (aim: Aim) => unknown) => async (aim: Aim) => {
  const { json } = await aim.root.call<{ id: string }>('POST', `/api/v1${path}`, bodyOf(aim));
  return { params: { id: json.id }, ...(body === undefined ? {} : { body: body(aim) }) };
};
const newClient = (aim: Aim) => ({ name: aim.next(), redirectUris: ['https://assistant.example.com/callback'] });
const unknown = () => ({ params: { id: 'unknown' } });
const newRole = (aim: Aim) => ({ name: aim.next(), permissions: [] });
const newLink = (aim: Aim) => ({ name: aim.next(), queryName: aim.queryName, format: 'csv' });
const newDatabase = (aim: Aim) => ({ name: aim.next(), ...file });
const demo = async ({ root }: Aim) => {
  const { json } = await root.call<{ items: { id: string; name: string }[] }>('GET', '/api/v1/databases');
  return { params: { id: json.items.find(({ name }) => name === 'Demo')?.id ?? '' } };
};

const embedOf = ({ queryName }: Aim) => `?queryName=${queryName}&chartType=bar&labelColumn=label&dataColumn=amount`;
const createEmbed = async (aim: Aim) => {
  const { json } = await aim.root.call<{ Id: string }>('POST', `/api/v1/EmbeddedChart/GetEmbedUrl${embedOf(aim)}`);
  return { params: { id: json.Id } };
};

/** Public, or authorized by a token; the gateway refuses with JSON-RPC errors. */
export const openRoutes: readonly string[] = [
  'GET /livez',
  'GET /readyz',
  'GET /metrics',
  'GET /openapi.json',
  'POST /session',
  'DELETE /session',
  'GET /session/options',
  'GET /session/oidc',
  'GET /session/oidc/callback',
  'GET /Export/Download',
  'GET /EmbeddedChart/RenderByToken',
  'POST /EmbeddedChart/RenderByToken',
  'GET /data/{token}/{file}',
  'GET /EmbeddedChart/RenderImage',
  'GET /mcp',
  'POST /mcp',
];

export const matrix: Readonly<Record<string, Row>> = {
  'GET /session': { keys: 'even narrowed', expected: everyoneSignedIn },
  'GET /account': { keys: 'even narrowed', expected: everyoneSignedIn },
  'GET /home': { keys: 'none', expected: everyoneSignedIn },
  'GET /figures': { keys: 'none', expected: everyoneSignedIn },
  'PUT /account/password': {
    to: () => ({ body: { currentPassword: '', newPassword: 'short' } }),
    keys: 'none',
    expected: '401 400 400 400 400 400 400 400',
  },
  'GET /account/api-keys': { keys: 'none', expected: everyoneSignedIn },
  'POST /account/api-keys': { to: () => ({ body: {} }), keys: 'none', expected: '401 400 400 400 400 400 400 400' },
  // another user's key is not found, for any caller
  'PATCH /account/api-keys/{id}': {
    to: async (aim) => ({ params: { id: (await aim.newKey()).keyId }, body: { name: 'Renamed' } }),
    keys: 'none',
    expected: '401 404 404 404 404 404 404 404',
  },
  'DELETE /account/api-keys/{id}': {
    to: async (aim) => ({ params: { id: (await aim.newKey()).keyId } }),
    keys: 'none',
    expected: '401 404 404 404 404 404 404 404',
  },

  'POST /JsonBuilder/ExecuteQuery': { to: (aim) => ({ body: call(aim) }), keys: 'even narrowed', expected: runners },
  'POST /ChartBuilder/ExecuteQuery': { to: (aim) => ({ body: call(aim) }), keys: 'even narrowed', expected: runners },
  'POST /ChartBuilder/Summary': {
    to: (aim) => ({ body: { ...call(aim), labelColumn: 'label', dataColumn: 'amount' } }),
    keys: 'even narrowed',
    expected: runners,
  },
  'GET /openapi.json': { keys: 'even narrowed', expected: everyoneSignedIn },
  'GET /JsonBuilder/GetQueryParameters': {
    to: (aim) => ({ query: `?queryName=${aim.queryName}` }),
    keys: 'even narrowed',
    expected: runners,
  },
  'POST /api/query/execute/{queryName}': {
    to: (aim) => ({ params: { queryName: aim.queryName }, body: {} }),
    keys: 'even narrowed',
    expected: runners,
  },
  'POST /Export/ExecuteQuery': {
    to: (aim) => ({ query: '?format=csv', body: call(aim) }),
    keys: 'even narrowed',
    expected: runners,
  },
  'GET /data/{file}': {
    to: (aim) => ({ params: { file: `${aim.queryName}.csv` } }),
    keys: 'even narrowed',
    expected: runners,
  },
  'POST /Export/CreateLink': {
    to: (aim) => ({ query: '?format=csv', body: call(aim) }),
    keys: 'even narrowed',
    expected: runners,
  },

  // the query has no such parameter
  'GET /queries/{queryName}/choices': {
    to: (aim) => ({ params: { queryName: aim.queryName }, query: '?parameter=@None' }),
    keys: 'even narrowed',
    expected: '401 403 400 400 400 403 403 400',
  },

  'POST /EmbeddedChart/GetEmbedUrl': { to: (aim) => ({ query: embedOf(aim) }), expected: runners },
  'GET /EmbeddedChart/GetEmbedUrl': { to: (aim) => ({ query: embedOf(aim) }), expected: runners },
  // users see their own; those of others are not found, except for an Administrator
  'GET /embeds': { expected: everyoneSignedIn },
  'GET /embeds/{id}/picture': { to: createEmbed, expected: '401 404 404 404 404 404 404 200' },
  'POST /embeds/{id}/regenerate': { to: createEmbed, expected: '401 404 404 404 404 404 404 200' },
  'PATCH /embeds/{id}': {
    to: async (aim) => ({ ...(await createEmbed(aim)), body: {} }),
    expected: '401 404 404 404 404 404 404 200',
  },
  'DELETE /embeds/{id}': { to: createEmbed, expected: '401 404 404 404 404 404 404 204' },
  'POST /links': { to: (aim) => ({ body: newLink(aim) }), expected: '401 403 201 201 201 403 403 201' },
  'GET /links': { expected: everyoneSignedIn },
  'POST /links/{id}/regenerate': { to: createAt('/links', newLink), expected: '401 404 404 404 404 404 404 200' },
  'DELETE /links/{id}': { to: createAt('/links', newLink), expected: '401 404 404 404 404 404 404 204' },
  'GET /mcp/tools': { expected: everyoneSignedIn },
  'POST /mcp/tools/{name}/call': {
    to: () => ({ params: { name: 'get_user_profile' }, body: {} }),
    keys: 'none',
    expected: everyoneSignedIn,
  },

  'GET /queries': { keys: 'even narrowed', expected: everyoneSignedIn },
  'GET /queries/{id}': {
    to: (aim) => ({ params: { id: aim.queryId } }),
    keys: 'even narrowed',
    expected: '401 404 200 200 200 404 404 200',
  },
  'POST /queries': { to: (aim) => ({ body: { name: aim.next(), ...sql } }), expected: '401 403 403 201 201 403 403 201' },
  'PUT /queries/{id}': {
    to: async (aim) => ({ params: { id: await aim.newQuery([]) }, body: { name: aim.next(), ...sql } }),
    expected: '401 404 404 200 200 404 404 200',
  },
  'PATCH /queries/{id}': { to: ofQuery([], { tip: 'new' }), expected: '401 404 404 200 200 404 404 200' },
  'POST /catalog/plan': { to: () => ({ body: { queries: [] } }), expected: authors },
  'POST /catalog/apply': { to: () => ({ body: { queries: [] } }), expected: '401 403 403 403 200 403 403 200' },
  'POST /queries/preview': { to: () => ({ body: sql }), expected: authors },
  'POST /queries/{id}/validate': { to: ofQuery([]), expected: '401 404 404 200 200 404 404 200' },
  'DELETE /queries/{id}/draft': { to: ofDraft, expected: '401 404 403 204 204 404 404 204' },
  'POST /queries/{id}/activate': { to: ofQuery(['validate']), expected: '401 404 404 403 200 404 404 200' },
  'POST /queries/{id}/deactivate': { to: ofQuery(['validate', 'activate']), expected: '401 404 403 403 200 404 404 200' },
  'POST /queries/{id}/void': { to: ofQuery([]), expected: '401 404 404 403 200 404 404 200' },
  'POST /queries/{id}/restore': { to: ofQuery(['void']), expected: '401 404 404 403 200 404 404 200' },
  'GET /queries/{id}/changes': { to: ofDraft, expected: '401 404 403 200 200 404 404 200' },
  'GET /queries/{id}/callers': { to: ofQuery([]), expected: '401 404 404 200 200 404 404 200' },
  'GET /queries/{id}/versions': { to: ofQuery([]), expected: '401 404 404 200 200 404 404 200' },
  'POST /queries/{id}/versions/{version}/restore': {
    to: async (aim) => ({ params: { id: await aim.newQuery([]), version: '1' } }),
    expected: '401 404 404 200 200 404 404 200',
  },
  'POST /queries/{id}/versions/{version}/retire': {
    to: async (aim) => {
      const { params } = await ofDraft(aim);
      for (const move of ['validate', 'activate']) await aim.root.call('POST', `/api/v1/queries/${params.id}/${move}`);
      return { params: { ...params, version: '1' } };
    },
    expected: '401 404 403 403 200 404 404 200',
  },

  'GET /databases': { expected: everyoneSignedIn },
  'GET /databases/{id}': { to: demo, expected: '401 404 200 200 200 404 404 200' },
  'GET /databases/{id}/schema': { to: demo, expected: '401 404 403 200 200 404 404 200' },
  'POST /databases': { to: (aim) => ({ body: newDatabase(aim) }), expected: '401 403 403 403 403 403 403 201' },
  'PUT /databases/{id}': { to: createAt('/databases', newDatabase, newDatabase), expected: '401 404 403 403 403 404 404 200' },
  'PATCH /databases/{id}': {
    to: createAt('/databases', newDatabase, () => ({ description: 'new' })),
    expected: '401 404 403 403 403 404 404 200',
  },
  'DELETE /databases/{id}': { to: createAt('/databases', newDatabase), expected: '401 404 403 403 403 404 404 204' },
  'POST /databases/test': { to: () => ({ body: file }), expected: administrators },
  'POST /databases/{id}/test': { to: createAt('/databases', newDatabase), expected: '401 404 403 403 403 404 404 200' },

  'GET /users': { expected: managersOfUsers },
  'POST /users': {
    to: (aim) => ({ body: { username: aim.next(), password: randomUUID() } }),
    keys: 'none',
    expected: '401 403 403 403 403 201 403 201',
  },
  'GET /users/{id}': { to: ofUser(), expected: '401 404 404 404 404 200 404 200' },
  'PUT /users/{id}': {
    to: async (aim) => ({ params: { id: await aim.newUser() }, body: { username: aim.next() } }),
    keys: 'none',
    expected: '401 404 404 404 404 200 404 200',
  },
  'PATCH /users/{id}': { to: ofUser({ fullName: 'New' }), keys: 'none', expected: '401 404 404 404 404 200 404 200' },
  'DELETE /users/{id}': { to: ofUser(), keys: 'none', expected: '401 404 404 404 404 204 404 204' },
  'GET /users/{id}/api-keys': { to: ofUser(), keys: 'none', expected: '401 404 404 404 404 200 404 200' },
  // of a person, who creates their own
  'POST /users/{id}/api-keys': { to: ofUser({ name: 'key' }), keys: 'none', expected: '401 404 404 404 404 409 404 409' },
  'GET /users/{id}/signing-keys': { to: ofUser(), keys: 'none', expected: '401 404 404 404 404 409 404 409' },
  'PUT /users/{id}/signing-keys': { to: ofUser({ secret: true }), keys: 'none', expected: '401 404 404 404 404 409 404 409' },
  'DELETE /users/{id}/signing-keys': { to: ofUser(), keys: 'none', expected: '401 404 404 404 404 409 404 409' },
  'GET /users/{id}/viewers': { to: ofUser(), keys: 'none', expected: '401 404 404 404 404 409 404 409' },
  'POST /users/{id}/viewers/{sub}/block': { to: ofViewer, keys: 'none', expected: '401 404 404 404 404 409 404 409' },
  'DELETE /users/{id}/viewers/{sub}/block': { to: ofViewer, keys: 'none', expected: '401 404 404 404 404 409 404 409' },
  'GET /users/{id}/applications': { to: ofUser(), keys: 'none', expected: '401 404 404 404 404 200 404 200' },
  'DELETE /users/{id}/applications/{applicationId}': {
    to: async (aim) => ({ params: { id: await aim.newUser(), applicationId: 'unknown' } }),
    keys: 'none',
    expected: '401 404 404 404 404 404 404 404',
  },
  'GET /account/applications': { keys: 'none', expected: everyoneSignedIn },
  'DELETE /account/applications/{id}': { to: unknown, keys: 'none', expected: '401 404 404 404 404 404 404 404' },
  // only the browser that an application opened may decide
  'GET /oauth/interactions/{id}': { to: unknown, keys: 'none', expected: '401 403 403 403 403 403 403 403' },
  'POST /oauth/interactions/{id}/allow': {
    to: () => ({ params: { id: 'unknown' }, body: {} }),
    keys: 'none',
    expected: '401 403 403 403 403 403 403 403',
  },
  'POST /oauth/interactions/{id}/cancel': { to: unknown, keys: 'none', expected: '401 403 403 403 403 403 403 403' },
  'GET /oauth/clients': { keys: 'none', expected: administrators },
  'POST /oauth/clients': { to: (aim) => ({ body: newClient(aim) }), keys: 'none', expected: '401 403 403 403 403 403 403 201' },
  'DELETE /oauth/clients/{id}': {
    to: createAt('/oauth/clients', newClient),
    keys: 'none',
    expected: '401 403 403 403 403 403 403 204',
  },
  'DELETE /users/{id}/api-keys': { to: ofUser(), keys: 'none', expected: '401 404 404 404 404 204 404 204' },
  'DELETE /users/{id}/api-keys/{keyId}': {
    to: async (aim) => {
      const { userId, keyId } = await aim.newKey();
      return { params: { id: userId, keyId } };
    },
    keys: 'none',
    expected: '401 404 404 404 404 204 404 204',
  },

  'GET /roles': { expected: '401 403 403 200 200 200 403 200' },
  'GET /roles/{id}': { to: createAt('/roles', newRole), expected: '401 404 404 200 200 200 404 200' },
  'POST /roles': { to: (aim) => ({ body: newRole(aim) }), keys: 'none', expected: '401 403 403 403 403 201 403 201' },
  'PUT /roles/{id}': { to: createAt('/roles', newRole, newRole), keys: 'none', expected: '401 404 404 403 403 200 404 200' },
  'PATCH /roles/{id}': {
    to: createAt('/roles', newRole, (aim) => ({ name: aim.next() })),
    keys: 'none',
    expected: '401 404 404 403 403 200 404 200',
  },
  'DELETE /roles/{id}': { to: createAt('/roles', newRole), keys: 'none', expected: '401 404 404 403 403 204 404 204' },

  'GET /audit': { expected: '401 403 403 403 403 200 200 200' },
  'PUT /queries/{id}/favorite': {
    to: () => ({ params: { id: 'none' } }),
    keys: 'none',
    expected: '401 404 404 404 404 404 404 404',
  },
  'DELETE /queries/{id}/favorite': {
    to: () => ({ params: { id: 'none' } }),
    keys: 'none',
    expected: '401 204 204 204 204 204 204 204',
  },
  'GET /executions': { expected: everyoneSignedIn },
  'DELETE /executions/{id}': { to: () => ({ params: { id: 'none' } }), expected: '401 404 404 404 404 404 404 404' },
  'GET /settings': { expected: administrators },
  'PATCH /settings': { to: () => ({ body: {} }), expected: administrators },
};
