import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { addDuckdb, ordersOf, ordersSql } from '../../support/databases/every-engine.ts';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { expectFieldProblem, expectProblem, problemOf } from '../../support/http/problem.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { createPeople, createPerson, type Person, publishBoundOrders, regionsIn } from '../../support/queries/bound-orders.ts';
import { embedOf, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let ana: Person;
let bob: Person;
let eve: Person;
let single: string; // technical names
let list: string;

beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  root = service.as(admin);
  await addDuckdb(service);
  const published = await publishBoundOrders(root, 'Duck');
  single = published.single.queryName;
  list = published.list.queryName;
  ({ ana, bob, eve } = await createPeople(service));
});
afterAll(() => service.close());

const setAttributes = (id: string, attributes: Record<string, unknown>) =>
  expectStatus(root.call('PATCH', `/api/v1/users/${id}`, { attributes }), 200);

describe('a query that is bound to its caller', () => {
  const rowsSeen = async (caller: Caller) => (await expectStatus(caller.run(single), 200)).json.Data.map(({ value }) => value);

  test('does not show the parameter to callers, only to authors', async () => {
    const caller = service.as({ key: ana.key });
    const mcp = mcpOf(service, ana.key);
    const declared = await expectStatus(caller.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${single}`), 200);
    expect(declared.json.Parameters).toEqual([]);
    expect((await mcp.tool('get_query_parameters', { queryName: single })).parameters).toEqual([]);
    expect(await mcp.tool('get_query_detail', { queryId: single })).toMatchObject({ parameterCount: 0, parameters: [] });
    const names = [single, list];
    const listed = async (as: Caller) => {
      const path = '/api/v1/queries?limit=1000';
      const { json } = await expectStatus(as.call<{ items: { queryName: string; parameters: unknown[] }[] }>('GET', path), 200);
      return json.items.filter((each) => names.includes(each.queryName));
    };
    expect((await listed(ana.caller)).map(({ parameters }) => parameters)).toEqual([[], []]);
    expect((await listed(root)).map(({ parameters }) => parameters.length)).toEqual([1, 1]);
    const misspelled = await expectProblem(
      caller.run(single, [{ ParameterName: '@Regoin', Value: 'a' }]),
      400,
      'parameter_unknown',
    );
    expect(misspelled.detail).not.toContain('@Region');
  });

  test('is refused without the attribute, and with several values of it', async () => {
    const refused = await expectProblem(service.as({ key: eve.key }).run(single), 403, 'caller_attribute_missing');
    expect(refused.detail).toContain('user.attributes.region');
    expect(await mcpOf(service, eve.key).refusal('execute_query', { queryName: single })).toMatchObject({
      code: 40301,
      data: { reason: 'caller_attribute_missing' },
    });
    await setAttributes(eve.id, { region: '', regions: [] });
    for (const name of [single, list]) await expectProblem(eve.caller.run(name), 403, 'caller_attribute_missing');
    await setAttributes(eve.id, { region: ['North', 'South'] });
    await expectProblem(eve.caller.run(single), 403, 'caller_attribute_ambiguous');
    await setAttributes(eve.id, { region: 'longer than twenty characters' });
    await expectProblem(eve.caller.run(single), 403, 'caller_attribute_missing');
    await setAttributes(eve.id, {});
  });

  test('records the bound value in the audit trail', async () => {
    const entry = await auditOf(root, await bob.caller.run(list));
    expect(entry.parameters).toEqual({ '@Regions': ['South'] });
  });

  test('binds the other facts about the caller', async () => {
    const sql = `select @Name as name, @Id as id, @Email as email, @Full as "full",
      (select count(*) from (values ('Query User'), ('Auditor'), ('Administrator')) t(r) where r in (@Roles)) as roles`;
    const sources = { '@Name': 'user.name', '@Id': 'user.id', '@Email': 'user.email', '@Full': 'user.fullName' };
    const parameters = [
      ...Object.entries(sources).map(([name, boundTo]) => ({ name, dataType: 'text', boundTo })),
      { name: '@Roles', dataType: 'text', boundTo: 'user.roles', multiple: true },
    ];
    const me = await publish(root, { name: 'Me', database: 'Duck', sql, parameters });
    const person = { email: 'dan@example.org', fullName: 'Dan D' };
    const dan = await createUser(service, 'dan', { roles: ['Query User', 'Auditor'], databases: ['*'], ...person });
    const { json } = await expectStatus(dan.caller.run(me.queryName), 200);
    expect(json.Data).toEqual([{ name: 'dan', id: dan.id, email: 'dan@example.org', full: 'Dan D', roles: 2 }]);
  });

  test('uses new attributes at once, while an existing snapshot continues', async () => {
    const caller = service.as({ key: bob.key });
    const narrow = await createKey(bob.caller, { name: 'narrow', queries: [single] });
    const { Id, Token } = await embedOf(caller, { queryName: single });
    const first = await expectStatus(caller.run(single, [], { RowSize: '2' }), 200);
    await setAttributes(bob.id, { region: 'East', regions: 'South' });
    try {
      const next = await expectStatus(caller.run(single, [], { QueryMoreCode: first.json.QueryMoreCode ?? '' }), 200);
      expect([...first.json.Data, ...next.json.Data].map(({ value }) => value)).toEqual(ordersOf('South'));
      expect(await rowsSeen(caller)).toEqual(ordersOf('East'));
      expect(await rowsSeen(service.as({ key: narrow.key }))).toEqual(ordersOf('East'));
      const shown = async (token: string) => regionsIn((await view(service.as(), token)).text);
      expect(await shown(Token)).toEqual(['East']);
      const renewed = await expectStatus(caller.call<{ Token: string }>('POST', `/api/v1/embeds/${Id}/regenerate`), 200);
      expect(await shown(renewed.json.Token)).toEqual(['East']);
      // a snapshot also goes on without the attribute; a new execution does not
      const again = await expectStatus(caller.run(single, [], { RowSize: '2' }), 200);
      await setAttributes(bob.id, {});
      await expectStatus(caller.run(single, [], { QueryMoreCode: again.json.QueryMoreCode ?? '' }), 200);
      await expectProblem(caller.run(single), 403, 'caller_attribute_missing');
      expect((await view(service.as(), renewed.json.Token)).status).toBe(403);
      const sent = [{ ParameterName: '@Region', Value: 'South' }];
      await expectProblem(caller.run(single, sent, { QueryMoreCode: again.json.QueryMoreCode ?? '' }), 400, 'parameter_bound');
    } finally {
      await setAttributes(bob.id, { region: ['South'], regions: 'South' });
    }
  });

  test('shares results among callers with equal values only', async () => {
    const parameters = [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region' }];
    const shared = await publish(root, {
      name: 'Shared',
      database: 'Duck',
      sql: ordersSql('= @Region'),
      parameters,
      cacheSeconds: 600,
    });
    const zoe = await createPerson(service, 'zoe', { region: 'North' });
    const run = async ({ key }: Person) => {
      const { headers, json } = await expectStatus(service.as({ key }).run(shared.queryName, [], { RowSize: '2' }), 200);
      return [headers.get('x-cache'), json.Data.map(({ value }) => value)];
    };
    expect(await run(ana)).toEqual(['miss', ordersOf('North').slice(0, 2)]);
    expect(await run(bob)).toEqual(['miss', ordersOf('South').slice(0, 2)]);
    expect(await run(zoe)).toEqual(['hit', ordersOf('North').slice(0, 2)]);
    expect(await run(bob)).toEqual(['hit', ordersOf('South').slice(0, 2)]);
    await setAttributes(zoe.id, { region: 'South' });
    expect(await run(zoe)).toEqual(['hit', ordersOf('South').slice(0, 2)]);
  });

  test('cannot have a default, values or an unknown source', async () => {
    const body = (more: Record<string, unknown>) => ({
      name: 'Wrong',
      database: 'Duck',
      sql: ordersSql('= @Region'),
      parameters: [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region', ...more }],
    });
    for (const [more, field] of [
      [{ default: 'North' }, 'default'],
      [{ values: ['North'] }, 'values'],
      [{ boundTo: 'user.password' }, 'boundTo'],
      [{ boundTo: 'user.attributes.' }, 'boundTo'],
    ] as const) {
      const refused = await expectStatus(root.call('POST', '/api/v1/queries', body(more)), 400);
      expect(problemOf(refused).errors?.map((each) => each.field)).toEqual([`parameters.0.${field}`]);
    }
  });

  test('is previewed as its author, or as another user by those who manage users', async () => {
    const body = {
      database: 'Duck',
      sql: ordersSql('= @Region'),
      parameters: [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region' }],
    };
    const preview = (caller: Caller, more: Record<string, unknown> = {}) =>
      caller.call('POST', '/api/v1/queries/preview', { ...body, ...more });
    await expectProblem(preview(root), 403, 'caller_attribute_missing');
    const as = await expectStatus(preview(root, { as: 'Ana' }), 200);
    expect((as.json.data as { value: number }[]).map(({ value }) => value)).toEqual(ordersOf('North'));
    expect(await auditOf(root, as)).toMatchObject({ action: 'query.preview', parameters: { as: 'Ana' } });
    await expectFieldProblem(preview(root, { as: 'nobody' }), 'field_invalid', 'as');
    await expectProblem(preview(root, { as: 'ana', values: { Region: 'South' } }), 400, 'parameter_bound');
    const author = await createUser(service, 'author', {
      roles: ['Query Author'],
      databases: ['*'],
      attributes: { region: 'East' },
    });
    const own = await expectStatus(preview(author.caller), 200);
    expect((own.json.data as { value: number }[]).map(({ value }) => value)).toEqual(ordersOf('East'));
    await expectProblem(preview(author.caller, { as: 'ana' }), 403, 'permission_denied');
  });
});

/** Two services on one PostgreSQL and one data folder. */
test.skipIf(postgresProblem() !== null)('two replicas use a new attribute as soon as its change is confirmed', async () => {
  const url = await createDatabase();
  const here = await startTestService({ SLUICE_METADATA_URL: url });
  const there = await startTestService({ SLUICE_METADATA_URL: url, SLUICE_DATA: here.folder });
  try {
    const parameters = [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region' }];
    const { queryName } = await publish(here.as(admin), { name: 'Mine', sql: 'select @Region as region', parameters });
    const { id, credential } = await createUser(here, 'kim', {
      roles: ['Query User'],
      databases: ['*'],
      attributes: { region: 'r0' },
    });
    const { key } = await createKey(here.as(credential), { name: 'k' });
    let confirmed = 0;
    let isOver = false;
    const load = [here, there, here, there].map(async (replica) => {
      while (!isOver) {
        const least = confirmed;
        const { json } = await expectStatus(replica.as({ key }).run(queryName), 200);
        expect(Number(String(json.Data[0]?.region).slice(1))).toBeGreaterThanOrEqual(least);
      }
    });
    for (let round = 1; round <= 15; round++) {
      const replica = round % 2 === 0 ? here : there;
      await expectStatus(replica.as(admin).call('PATCH', `/api/v1/users/${id}`, { attributes: { region: `r${round}` } }), 200);
      confirmed = round;
    }
    isOver = true;
    await Promise.all(load);
  } finally {
    await there.close();
    await here.close();
  }
});
