import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem, problemOf } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string; readonly tags?: string[] }>>>>;
}
interface Route {
  readonly method: string;
  readonly path: string; // with dummy ids
  readonly declared: string;
}

let service: TestService;
let routes: readonly Route[];
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  const { json } = await service.as().call<Documented>('GET', '/openapi.json');
  routes = Object.entries(json.paths).flatMap(([declared, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: declared
        .replace(/\{version\}/g, '1')
        .replace('{file}', 'no-such-thing.csv')
        .replace(/\{\w+\}/g, 'no-such-thing'),
      declared,
    })),
  );
});
afterAll(() => service.close());

/** The routes that need no credential. Any other route has to be added here deliberately. */
const open = (route: Route): boolean =>
  ['/livez', '/readyz', '/metrics', '/openapi.json'].includes(route.declared) ||
  route.declared.startsWith('/docs') ||
  route.declared.startsWith('/mcp') || // refuses with JSON-RPC errors
  /^\/(data\/\{token\}|api\/v1\/(EmbeddedChart\/Render|Export\/Download))/.test(route.declared) || // authorized by a token
  route.declared.startsWith('/api/v1/session/') || // sign-in methods and OIDC sign-in
  (route.declared === '/api/v1/session' && route.method !== 'GET');

const sent = (route: Route) => (['POST', 'PUT', 'PATCH'].includes(route.method) ? {} : undefined);

test('the OpenAPI document lists the routes of the contract', () => {
  const declared = new Set(routes.map(({ method, declared: path }) => `${method} ${path}`));
  for (const route of [
    'GET /api/v1/session',
    'GET /api/v1/account',
    'PUT /api/v1/account/password',
    'POST /api/v1/account/api-keys',
    'PATCH /api/v1/account/api-keys/{id}',
    'DELETE /api/v1/account/api-keys/{id}',
    'GET /api/v1/users/{id}/api-keys',
    'DELETE /api/v1/users/{id}/api-keys',
    'POST /api/v1/databases/test',
    'POST /api/v1/databases/{id}/test',
    'GET /api/v1/databases/{id}/schema',
    'POST /api/v1/queries/preview',
    ...['validate', 'activate', 'deactivate', 'void', 'restore'].map((move) => `POST /api/v1/queries/{id}/${move}`),
    'GET /api/v1/queries/{id}/changes',
    'GET /api/v1/queries/{id}/callers',
    'GET /api/v1/queries/{id}/versions',
    'POST /api/v1/queries/{id}/versions/{version}/restore',
    'POST /api/v1/queries/{id}/versions/{version}/retire',
    'GET /api/v1/audit',
    'GET /api/v1/executions',
    'GET /api/v1/home',
    'DELETE /api/v1/executions/{id}',
    'GET /api/v1/settings',
    'PATCH /api/v1/settings',
    ...['users', 'roles', 'databases'].flatMap((kind) => [
      `GET /api/v1/${kind}`,
      `POST /api/v1/${kind}`,
      ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /api/v1/${kind}/{id}`),
    ]),
    'POST /api/v1/JsonBuilder/ExecuteQuery',
    'POST /api/v1/ChartBuilder/ExecuteQuery',
    'POST /api/v1/ChartBuilder/Summary',
    'GET /api/v1/JsonBuilder/GetQueryParameters',
    'POST /api/query/execute/{queryName}',
    'POST /api/v1/Export/ExecuteQuery',
    'POST /api/v1/Export/CreateLink',
    'GET /api/v1/Export/Download',
  ])
    expect(declared).toContain(route);
});

test('every protected route returns 401 without a credential, regardless of the body', async () => {
  const closed = routes.filter((route) => !open(route));
  expect(closed.length).toBeGreaterThan(50);
  for (const route of closed) {
    for (const body of [sent(route), sent(route) && '{"broken":']) {
      const response = await service.as().call(route.method, route.path, body);
      expect([route.method, route.path, response.status]).toEqual([route.method, route.path, 401]);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      expect(response.headers.get('x-request-id')).toBe(problemOf(response).requestId);
      expect(problemOf(response)).toMatchObject({ status: 401, code: 'credential_missing', type: expect.any(String) });
    }
  }
});

test('every protected route returns 401 for an invalid credential of any kind', async () => {
  const bad = [
    { 'X-API-Key': 'slc_nonsense' },
    { Authorization: 'Bearer nonsense' },
    { Authorization: 'Basic nonsense' },
    { Cookie: 'sluice_session=nonsense' },
  ];
  for (const route of routes.filter((each) => !open(each))) {
    for (const headers of bad) {
      const response = await service.as().call(route.method, route.path, sent(route), headers);
      expect([route.path, headers, response.status]).toEqual([route.path, headers, 401]);
    }
  }
});

test('returns 404 for unknown paths and 405 with the allowed methods for a wrong method', async () => {
  const caller = service.as({ key: (await createKey(service.as(admin))).key });
  expect((await caller.call('GET', '/api/v1/no-such-path')).status).toBe(404);
  const response = await caller.call('PATCH', '/api/v1/account');
  expect([response.status, problemOf(response).code]).toEqual([405, 'method_not_allowed']);
  expect(response.headers.get('allow')).toBe('GET, HEAD');
  for (const kind of ['queries', 'databases', 'users', 'roles'])
    expect([kind, (await service.as(admin).call('GET', `/api/v1/${kind}/no-such-thing`)).status]).toEqual([kind, 404]);
});

test('public routes need no credential', async () => {
  for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json', '/docs'])
    expect([path, (await service.as().call('GET', path)).status]).toEqual([path, 200]);
});

test('OPTIONS lists the methods of every path', async () => {
  const allowOf = async (path: string) => {
    const { status, text, headers } = await service.as().call('OPTIONS', path);
    expect([path, status, text]).toEqual([path, 204, '']);
    return headers.get('allow')?.split(', ') ?? [];
  };
  for (const { method, path } of routes) expect(await allowOf(path)).toEqual(expect.arrayContaining([method, 'OPTIONS']));
  expect(await allowOf('/api/v1/queries')).toEqual(['GET', 'HEAD', 'POST', 'OPTIONS']);
  expect(await allowOf('/mcp')).toEqual(['GET', 'HEAD', 'POST', 'OPTIONS']);
  for (const path of ['/', '/query-to-json', '/docs', '/favicon.svg', '/assets/x.js', '/docs/x.js'])
    expect([path, (await allowOf(path)).toSorted()]).toEqual([path, ['GET', 'HEAD', 'OPTIONS']]);
  await expectProblem(service.as().call('OPTIONS', '/api/v1/nothing'), 404, 'not_found');
});

test('HEAD responds like GET without a body', async () => {
  for (const path of ['/livez', '/readyz']) {
    const { status, text } = await service.as().call('HEAD', path);
    expect([path, status, text]).toEqual([path, 200, '']);
  }
});
