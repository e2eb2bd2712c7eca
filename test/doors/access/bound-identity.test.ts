import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { reportFigure } from '../../support/faults/figure.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { type Account, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type ApiResponse,
  type Caller,
  expectStatus,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

const PASSWORD = 'another plain phrase';

/** Each source, a change of it, and the field that a refusal names. */
const sources = [
  ['user.name', { username: 'somebody else' }, 'username'],
  ['user.email', { email: 'boss@example.org' }, 'email'],
  ['user.fullName', { fullName: 'The Boss' }, 'fullName'],
  ['user.roles', { roles: ['North', 'Reader'] }, 'roles'],
  ['user.attributes.region', { attributes: { region: 'North' } }, 'attributes.region'],
] as const;

let attempts = 0;
afterAll(() => reportFigure(37, `${attempts} attempts to grant an identity that a query is bound to, none succeeded`));

async function expectRefused(response: Promise<ApiResponse<unknown>>, named: string): Promise<void> {
  attempts++;
  expect((await expectProblem(response, 403, 'permission_denied')).detail).toContain(named);
}

describe.each([
  { store: 'SQLite', problem: null, settings: async () => ({}) },
  { store: 'PostgreSQL', problem: postgresProblem(), settings: async () => ({ SLUICE_METADATA_URL: await createDatabase() }) },
])('with metadata in $store', ({ problem, settings }) => {
  describe.skipIf(problem !== null)(problem ?? 'a user manager who also runs queries', () => {
    let service: TestService;
    let root: Caller;
    let lead: Account;
    const queries = new Map<string, { readonly id: string; readonly queryName: string }>();
    let count = 0;

    const write = (by: Caller, method: string, path: string, body?: unknown): Promise<ApiResponse<Record<string, unknown>>> =>
      by.call(method, `/api/v1${path}`, body);
    const move = async (source: string, to: 'activate' | 'deactivate') =>
      expectStatus(write(root, 'POST', `/queries/${queries.get(source)?.id}/${to}`), 200);
    const newUser = (): string => `user ${++count}`;
    const createPlain = () => createUser(service, newUser(), { roles: ['Reader'], databases: ['Demo'] });

    beforeAll(async () => {
      service = await startTestService(await settings());
      root = service.as(admin);
      for (const [name, permissions] of [
        ['Lead', ['users.manage', 'queries.run']],
        ['Reader', ['queries.run']],
        ['North', []],
      ] as const)
        await expectStatus(write(root, 'POST', '/roles', { name, permissions }), 201);
      lead = await createUser(service, 'lead', { roles: ['Lead'], databases: ['*'] });
      for (const [source] of sources) {
        const parameter = { name: '@Own', dataType: 'nvarchar(50)', boundTo: source, multiple: true };
        const sql = "select 1 as n where 'North' in (@Own)";
        const query = await publish(root, { name: `By ${source}`, sql, parameters: [parameter] });
        queries.set(source, query);
        await move(source, 'deactivate');
      }
    });
    afterAll(() => service.close());

    describe.each(sources)('when an Active query is bound to %s', (source, change, field) => {
      beforeAll(() => move(source, 'activate'));
      afterAll(() => move(source, 'deactivate'));
      const ofNew = () => ({ username: newUser(), password: PASSWORD, databases: ['Demo'], ...change });

      test('cannot create an account with a value of it, an Administrator can', async () => {
        const body = ofNew();
        await expectRefused(write(lead.caller, 'POST', '/users', body), field);
        const { json } = await expectStatus(write(root, 'POST', '/users', body), 201);
        await expectStatus(write(root, 'DELETE', `/users/${json.id}`), 204);
      });

      test.each(['PUT', 'PATCH'])('cannot change it by %s, an Administrator can', async (method) => {
        const { id, username } = await createPlain();
        const body = method === 'PUT' ? { username, roles: ['Reader'], databases: ['Demo'], ...change } : change;
        await expectRefused(write(lead.caller, method, `/users/${id}`, body), field);
        const { json } = await expectStatus(write(root, method, `/users/${id}`, body), 200);
        await expectRefused(write(lead.caller, method, `/users/${id}`, { ...body, ...emptied(source, username) }), field);
        await expectStatus(write(lead.caller, 'PATCH', `/users/${id}`, { disabled: true }), 200);
        expect(json).toMatchObject(change);
        await expectStatus(write(root, 'DELETE', `/users/${id}`), 204);
      });

      test('cannot set the password of an account that has a value of it', async () => {
        const { id } = await createPlain();
        await expectStatus(write(root, 'PATCH', `/users/${id}`, change), 200);
        await expectRefused(write(lead.caller, 'PATCH', `/users/${id}`, { password: PASSWORD }), source);
        await expectStatus(write(root, 'DELETE', `/users/${id}`), 204);
      });

      test('sees which field is locked', async () => {
        const { id } = await createPlain();
        const lockedFor = async (by: Caller) => (await expectStatus(write(by, 'GET', `/users/${id}`), 200)).json.lockedFields;
        expect([await lockedFor(lead.caller), await lockedFor(root)]).toEqual([[field], []]);
      });
    });

    test('cannot create or rename roles when an Active query is bound to role names, and an Administrator can', async () => {
      await move('user.roles', 'activate');
      try {
        await expectRefused(write(lead.caller, 'POST', '/roles', { name: 'South', permissions: [] }), 'user.roles');
        const { id } = (await expectStatus(write(root, 'POST', '/roles', { name: 'South', permissions: [] }), 201)).json;
        for (const method of ['PUT', 'PATCH'])
          await expectRefused(write(lead.caller, method, `/roles/${id}`, { name: 'Nord', permissions: [] }), 'user.roles');
        await expectStatus(write(lead.caller, 'PATCH', `/roles/${id}`, { permissions: ['queries.run'] }), 200);
        expect((await expectStatus(write(lead.caller, 'GET', `/roles/${id}`), 200)).json.canGrant).toBe(false);
        await expectStatus(write(root, 'PATCH', `/roles/${id}`, { name: 'Nord' }), 200);
      } finally {
        await move('user.roles', 'deactivate');
      }
    });

    test('may set all of it while no Active query is bound to it', async () => {
      for (const [, change] of sources.filter(([source]) => source !== 'user.roles')) {
        const body = { username: newUser(), password: PASSWORD, ...change };
        const { id } = (await expectStatus(write(lead.caller, 'POST', '/users', body), 201)).json;
        await expectStatus(write(lead.caller, 'PATCH', `/users/${id}`, { email: 'x@example.org', attributes: {} }), 200);
        await expectStatus(write(lead.caller, 'DELETE', `/users/${id}`), 204);
      }
    });

    test('may set attributes beside a bound one', async () => {
      await move('user.attributes.region', 'activate');
      try {
        const { id } = await createPlain();
        await expectStatus(write(root, 'PATCH', `/users/${id}`, { attributes: { region: 'North' } }), 200);
        const more = { attributes: { region: ['North'], office: '7' } };
        await expectStatus(write(lead.caller, 'PATCH', `/users/${id}`, more), 200);
        await expectRefused(write(lead.caller, 'PATCH', `/users/${id}`, { attributes: { office: '7' } }), 'attributes.region');
      } finally {
        await move('user.attributes.region', 'deactivate');
      }
    });

    test('cannot change their own identity, whether or not a query is bound to it', async () => {
      for (const [source, change, field] of sources)
        await expectRefused(
          write(lead.caller, 'PATCH', `/users/${lead.id}`, change),
          source.includes('attr') ? 'attributes' : source === 'user.roles' ? 'Administrator' : field,
        );
      const { json } = await expectStatus(write(root, 'GET', '/account'), 200);
      await expectStatus(write(root, 'PATCH', `/users/${json.id}`, { email: 'root@example.org', fullName: 'Root' }), 200);
      await expectRefused(write(root, 'PATCH', `/users/${json.id}`, { attributes: { region: 'North' } }), 'attributes');
    });
  });
});

/** A body that takes the value away again. */
const emptied = (source: string, username: string): object =>
  source === 'user.name'
    ? { username }
    : ({ 'user.email': { email: '' }, 'user.fullName': { fullName: '' }, 'user.roles': { roles: ['Reader'] } }[source] ?? {
        attributes: {},
      });
