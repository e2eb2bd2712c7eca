import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';
import { type Aim, matrix, openRoutes, type Sent } from './matrix-rows.ts';

/** Every route with every kind of caller. The routes are read from the running service; a route without a row fails. */
const callers = [
  'anonymous',
  'nobody',
  'Query User',
  'Query Author',
  'Query Publisher',
  'Security Administrator',
  'Auditor',
  'Administrator',
  'key of an Administrator',
  'narrowed key of an Administrator',
] as const;
type Kind = (typeof callers)[number];

let service: TestService;
let aim: Aim;
const people = new Map<Kind, Caller>();
let declared: readonly string[];

beforeAll(async () => {
  service = await startTestService({ SLUICE_RATE_PER_KEY: '0' });
  const root = service.as(admin);
  people.set('anonymous', service.as());
  people.set('Administrator', root);
  people.set('nobody', (await createUser(service, 'nobody')).caller);
  for (const role of callers.slice(2, -3)) {
    people.set(role, (await createUser(service, role.toLowerCase(), { roles: [role], databases: ['*'] })).caller);
  }
  const { json } = await service.as().call<{ paths: Record<string, Record<string, unknown>> }>('GET', '/openapi.json');
  declared = Object.entries(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api\/v1/, '')}`),
  );
  const shared = await publish(root, { name: 'Shared', sql: 'select 1 as label, 2 as amount' });
  people.set('key of an Administrator', service.as({ key: (await createKey(root)).key }));
  const narrowed = await createKey(root, { name: 'narrowed', queries: [shared.queryName] });
  people.set('narrowed key of an Administrator', service.as({ key: narrowed.key }));
  let count = 0;
  aim = {
    root,
    queryName: shared.queryName,
    queryId: shared.id,
    next: () => `thing ${count++}`,
    newQuery: async (moves) => {
      const query = { name: `thing ${count++}`, database: 'Demo', sql: 'select 1 as n', parameters: [] };
      const { json: made } = await expectStatus(root.call<{ id: string }>('POST', '/api/v1/queries', query), 201);
      for (const move of moves) await expectStatus(root.call('POST', `/api/v1/queries/${made.id}/${move}`), 200);
      return made.id;
    },
    newUser: async () => (await createUser(service, `thing ${count++}`)).id,
    newKey: async () => {
      const owner = await createUser(service, `thing ${count++}`);
      return { userId: owner.id, keyId: (await createKey(owner.caller)).id };
    },
  };
}, 120_000);
afterAll(() => service.close());

test('every route has a row, and every row a route', () => {
  const rows = [...Object.keys(matrix), ...openRoutes];
  expect(declared.filter((route) => !rows.includes(route) && !route.startsWith('GET /docs'))).toEqual([]);
  expect(rows.filter((route) => !declared.includes(route))).toEqual([]);
});

describe.each(Object.entries(matrix))('%s', (route, { to, expected, keys = 'any' }) => {
  const [method = '', path = ''] = route.split(' ');
  const ofAdministrator = Number(expected.split(' ').at(-1));
  const statuses = [
    ...expected.split(' ').map(Number),
    keys === 'none' ? 403 : ofAdministrator,
    keys === 'even narrowed' ? ofAdministrator : 403,
  ];
  let target: Sent | undefined; // the same for all callers until one of them succeeds, which may have used it up
  test.each(callers.map((kind, at) => [kind, statuses[at] ?? 0] as const))('%s: %i', async (kind, status) => {
    target ??= (await to?.(aim)) ?? {};
    const { params = {}, query = '', body } = target;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const address = `${/^\/(?:api|data)\/|^\/mcp$/.test(path) ? '' : '/api/v1'}${filled}${query}`;
    const response = await (people.get(kind) ?? service.as()).call(method, address, body);
    if (response.status < 300) target = undefined;
    expect([response.status, response.status >= 500 ? response.text : '']).toEqual([status, '']);
    if (status === 403 && kind === 'key of an Administrator') expect(problemOf(response).code).toBe('credential_not_suitable');
    if (kind === 'nobody' && 'items' in Object(response.json)) expect(response.json).toEqual({ items: [], nextCursor: null });
  });
});
