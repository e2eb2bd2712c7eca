import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { createApplication, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

interface Plan {
  readonly queries: readonly {
    readonly queryName: string;
    readonly action: string;
    readonly before: Record<string, unknown> | null;
  }[];
  readonly unchanged: number;
  readonly deactivated: readonly string[];
  readonly withoutFile: readonly string[];
}

let service: TestService;
let root: Caller;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
});
afterAll(() => service.close());

const named = (queryName: string, more: Record<string, unknown> = {}) => ({
  queryName,
  name: queryName.slice('QD_'.length, -'_Demo'.length),
  database: 'Demo',
  sql: 'select 1 as n',
  aiAccess: true,
  roles: [],
  ...more,
});
const plan = (queries: readonly unknown[], more = {}, caller = root) =>
  caller.call<Plan>('POST', '/api/v1/catalog/plan', { queries, ...more });
const apply = (queries: readonly unknown[], more = {}, caller = root) =>
  caller.call<Plan>('POST', '/api/v1/catalog/apply', { queries, ...more });
const actionsOf = ({ json }: { json: Plan }) => json.queries.map(({ queryName, action }) => `${action} ${queryName}`);

async function find(queryName: string) {
  const { json } = await root.call<{
    items: { queryName: string; id: string; status: string; version: number; sql: string; draft: unknown }[];
  }>('GET', `/api/v1/queries?limit=200&search=${queryName}`);
  return json.items.find((each) => each.queryName === queryName);
}

test('creates, changes and reactivates queries, and has nothing to do afterwards', async () => {
  const active = await publish(root, { name: 'Changed here', sql: 'select 1 as n' });
  const inactive = await publish(root, { name: 'Not active', sql: 'select 1 as n' });
  await expectStatus(root.call('POST', `/api/v1/queries/${inactive.id}/deactivate`), 200);
  const voided = await publish(root, { name: 'Void one', sql: 'select 1 as n' });
  for (const move of ['deactivate', 'void']) await expectStatus(root.call('POST', `/api/v1/queries/${voided.id}/${move}`), 200);
  const described = await publish(root, { name: 'Only described', sql: 'select 1 as n\n' });
  const queries = [
    named('QD_Made_by_file_Demo', { name: 'Renamed since' }),
    named(active.queryName, { name: 'Changed here', sql: 'select 2 as n' }),
    named(inactive.queryName, { name: 'Not active' }),
    named(voided.queryName, { name: 'Void one' }),
    named(described.queryName, { name: 'Only described', description: 'New' }),
  ];
  const planned = await expectStatus(plan(queries), 200);
  const expected = [
    'create QD_Made_by_file_Demo',
    'change QD_Changed_here_Demo',
    'activate QD_Not_active_Demo',
    'activate QD_Void_one_Demo',
    'change QD_Only_described_Demo',
  ];
  expect(actionsOf(planned)).toEqual(expected);
  expect(planned.json.queries[1]?.before).toMatchObject({ sql: 'select 1 as n', database: 'Demo', name: 'Changed here' });
  expect(planned.json.withoutFile).toContain('QD_Customers_Demo');
  expect(await find('QD_Made_by_file_Demo'), 'a plan changes nothing').toBeUndefined();

  expect(actionsOf(await expectStatus(apply(queries, { note: 'From a test' }), 200))).toEqual(expected);
  for (const { queryName } of queries) expect([queryName, (await find(queryName))?.status]).toEqual([queryName, 'Active']);
  expect(await find(described.queryName)).toMatchObject({ version: 2, sql: 'select 1 as n\n', description: 'New' });
  expect(await find(active.queryName)).toMatchObject({ version: 2, sql: 'select 2 as n', note: 'From a test' });
  expect((await root.run('QD_Made_by_file_Demo')).json.Data).toEqual([{ n: 1 }]);
  const again = await expectStatus(plan(queries), 200);
  expect([again.json.queries, again.json.unchanged]).toEqual([[], queries.length]);
});

test('reports every problem with its query and line, and applies nothing', async () => {
  const queries = [
    named('QD_Fine_Demo'),
    named('QD_Broken_Demo', { sql: 'select 1 as n\nfrom no_such_table' }),
    named('QD_Nowhere_Demo', { database: 'Nowhere', roles: ['No such role'] }),
    named('QD_Typed_Demo', { sql: 'select @A', parameters: [{ name: '@A', dataType: 'no type' }] }),
    named('QD_Fine_Demo'),
    named('QD/../x', { name: 'x' }),
    named('QD_Choosing_Demo', {
      sql: 'select @A as a',
      parameters: [{ name: '@A', dataType: 'int', choices: { query: 'QD_Fine_Demo', value: 'm' } }],
    }),
  ];
  for (const send of [plan, apply]) {
    const refused = await expectStatus(send(queries), 400);
    expect(problemOf(refused).errors).toEqual([
      { field: 'queries.2.database', code: 'field_invalid', message: expect.stringContaining('no database') },
      { field: 'queries.2.roles.0', code: 'field_invalid', message: expect.stringContaining('No such role') },
      { field: 'queries.3.parameters.0.dataType', code: 'field_invalid', message: expect.any(String) },
      { field: 'queries.4.queryName', code: 'field_invalid', message: 'Another file has this name.' },
      { field: 'queries.5.queryName', code: 'field_invalid', message: expect.stringContaining('letters, digits') },
      { field: 'queries.1.sql', code: 'field_invalid', message: expect.stringContaining('no_such_table'), line: 2, column: 6 },
      {
        field: 'queries.6.parameters.0.choices.value',
        code: 'field_invalid',
        message: expect.stringContaining('QD_Fine_Demo has no column m'),
      },
    ]);
  }
  expect(await find('QD_Fine_Demo')).toBeUndefined();
  const unknown = await expectStatus(plan([named('QD_Fine_Demo', { discription: 'x' })]), 400);
  expect(problemOf(unknown).errors).toEqual([
    { field: 'queries.0.discription', code: 'field_unknown', message: expect.stringContaining('description') },
  ]);
});

test('checks choices against the catalog as it will be', async () => {
  const source = await publish(root, { name: 'Source', sql: 'select 1 as n' });
  const chooser = named('QD_Chooser_Demo', {
    name: 'Chooser',
    sql: 'select @A as a',
    parameters: [{ name: '@A', dataType: 'int', required: true, choices: { query: source.queryName, value: 'n' } }],
  });
  await expectStatus(plan([chooser]), 200);
  const pruned = await expectStatus(plan([chooser], { prune: true }), 400);
  expect(problemOf(pruned).errors).toMatchObject([{ field: 'queries.0.parameters.0.choices.query' }]);
  const changed = await expectStatus(plan([chooser, named(source.queryName, { name: 'Source', sql: 'select 1 as m' })]), 400);
  expect(problemOf(changed).errors).toMatchObject([{ field: 'queries.0.parameters.0.choices.value' }]);
  await expectStatus(apply([chooser, named(source.queryName, { name: 'Source', sql: 'select 1 as n, 2 as m' })]), 200);
});

test('discards a draft only if the definition changes, and keeps it in the history', async () => {
  const { id, queryName } = await publish(root, { name: 'Drafted', sql: 'select 1 as n' });
  await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 3 as n' }), 200);
  const file = named(queryName, { name: 'Drafted' });
  expect(actionsOf(await expectStatus(plan([file]), 200))).toEqual([]);
  await expectStatus(apply([{ ...file, description: 'Described' }]), 200);
  expect(await find(queryName)).toMatchObject({ sql: 'select 1 as n', description: 'Described', draft: { version: 4 } });
  const planned = await expectStatus(plan([{ ...file, sql: 'select 2 as n' }]), 200);
  expect(planned.json.queries).toMatchObject([{ action: 'change', draft: { version: 4, createdBy: 'admin' } }]);
  await expectStatus(apply([{ ...file, sql: 'select 2 as n' }]), 200);
  expect(await find(queryName)).toMatchObject({ sql: 'select 2 as n', draft: null });
  const { json } = await root.call<{ items: { version: number; sql: string }[] }>('GET', `/api/v1/queries/${id}/versions`);
  expect(json.items.map(({ sql }) => sql)).toContain('select 3 as n');
});

test('deactivates queries without a file only with prune, and only in the scope of the caller', async () => {
  const { queryName } = await publish(root, { name: 'Left over', sql: 'select 1 as n' });
  const kept = named('QD_Kept_Demo');
  await expectStatus(apply([kept]), 200);
  expect((await find(queryName))?.status).toBe('Active');
  const outside = await createUser(service, 'outside', { roles: ['Query Publisher'], databases: [] });
  const none = await expectStatus(plan([], { prune: true }, outside.caller), 200);
  expect(none.json).toEqual({ queries: [], unchanged: 0, deactivated: [], withoutFile: [] });
  const refused = await expectStatus(plan([kept], {}, outside.caller), 400);
  expect(problemOf(refused).errors).toMatchObject([
    { field: 'queries.0.queryName', message: expect.stringContaining('not in your scope') },
  ]);

  const planned = await expectStatus(plan([kept], { prune: true }), 200);
  expect(planned.json.deactivated).toContain(queryName);
  expect((await find(queryName))?.status).toBe('Active');
  await expectStatus(apply([kept], { prune: true }), 200);
  expect((await find(queryName))?.status).toBe('Inactive');
  expect((await find(kept.queryName))?.status).toBe('Active');
});

test('an author may plan, a publisher may apply, also as an application; nobody writes without the permission', async () => {
  const file = named('QD_By_rights_Demo');
  const as = async (username: string, roles: readonly string[]) =>
    service.as({ key: (await (await createApplication(service, username, { roles })).createKey()).key });
  const [reader, author, publisher] = [
    await as('catalog-reader', ['Query User']),
    await as('catalog-author', ['Query Author']),
    await as('catalog-publisher', ['Query Publisher']),
  ];
  await expectStatus(plan([file], {}, reader), 403);
  await expectStatus(plan([file], {}, author), 200);
  expect(problemOf(await expectStatus(apply([file], {}, author), 403)).detail).toContain('queries.publish');
  await expectStatus(apply([file], {}, publisher), 200);
  const writing = { ...file, epilogue: 'delete from orders', aiAccess: false };
  expect(problemOf(await expectStatus(apply([writing], {}, publisher), 403)).detail).toContain(
    'Epilogue of QD_By_rights_Demo needs the permission queries.epilogue',
  );

  const { json } = await root.call<{ items: { action: string; user: string; parameters: unknown }[] }>(
    'GET',
    '/api/v1/audit?action=catalog.apply&user=catalog-publisher',
  );
  expect(json.items[1]).toMatchObject({
    parameters: { created: ['QD_By_rights_Demo'], changed: [], activated: [], deactivated: [] },
  });
});

test('applies nothing if a query is changed while the others are validated', async () => {
  const { id, queryName } = await publish(root, { name: 'Raced', sql: 'select 1 as n' });
  const many = Array.from({ length: 300 }, (_, index) => named(`QD_Race_${index}_Demo`));
  // the first one is read before all others are validated
  const applying = apply([named(queryName, { name: 'Raced', sql: 'select 5 as n' }), ...many]);
  let status = 0;
  const changing = (async () => {
    for (let count = 0; status === 0; count++)
      await root.call('PATCH', `/api/v1/queries/${id}`, { description: `Change ${count}` });
  })();
  const response = await applying;
  status = response.status;
  await changing;
  expect([response.status, problemOf(response).code]).toEqual([409, 'state_conflict']);
  expect(await find('QD_Race_0_Demo')).toBeUndefined();
});

test('reads a large body only from callers who may send one', async () => {
  const description = 'x'.repeat(9_000);
  const large = Array.from({ length: 100 }, (_, index) => named(`QD_Large_${index}_Demo`, { description }));
  await expectStatus(plan(large), 200);
  const reader = await createUser(service, 'large-reader', { roles: ['Query User'], databases: ['*'] });
  await expectStatus(plan(large, {}, reader.caller), 403);
  await expectStatus(plan(large, {}, service.as()), 401);
  await expectStatus(plan(large, {}, service.as({ key: 'slc_aaaaaaaa_wrong' })), 401);
  await expectStatus(root.call('POST', '/api/v1/queries', { ...named('QD_x_Demo'), padding: 'x'.repeat(300 << 10) }), 413);
  await expectStatus(root.call('POST', '/api/v1/catalog/plan', { padding: 'x'.repeat(33 << 20) }), 413);
});
