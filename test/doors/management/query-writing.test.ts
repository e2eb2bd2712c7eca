import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type List, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

interface Query {
  readonly id: string;
  readonly queryName: string;
  readonly [field: string]: unknown;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const file = await makeDuckdbFile(service.files, 'other.duckdb', ['create table t (id int)']);
  const database = { name: 'Other base', kind: 'duckdb', connection: { file } };
  await expectStatus(service.as(admin).call('POST', '/api/v1/databases', database), 201);
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: unknown) =>
  service.as(admin).call<Query>(method, `/api/v1/queries${path}`, body);
const create = (body: Record<string, unknown>) =>
  call('POST', '', { database: 'Demo', sql: 'select 1 as n', parameters: [], ...body });
const created = async (body: Record<string, unknown>) => (await expectStatus(create(body), 201)).json;

test('a query restricted to roles tells its author why they may not run it', async () => {
  const { caller } = await createUser(service, 'restricted author', { roles: ['Query Author'], databases: ['*'] });
  const { id } = await publish(service.as(admin), {
    name: 'For auditors',
    sql: 'select 1 as n',
    roles: ['Auditor', 'Query User'],
  });
  const seen = () => caller.call('GET', `/api/v1/queries/${id}`);
  expect((await expectStatus(seen(), 200)).json).toMatchObject({
    canRun: false,
    cannotRunReason:
      'The query is restricted to the roles Auditor, Query User, and you have none of them. Ask an administrator for one, or change the roles of the query.',
  });
  await expectStatus(call('PATCH', `/${id}`, { roles: [] }), 200);
  expect((await seen()).json).toMatchObject({ canRun: true, cannotRunReason: null });
});

test('a query has every field of the contract with defaults, and read-only fields are ignored', async () => {
  const whole = {
    name: 'Whole',
    description: 'What',
    tip: 'How',
    database: 'Demo',
    sql: 'select @Region as region, cast(@Limit as integer) as most',
    epilogue: null,
    parameters: [
      { name: '@Region', dataType: 'nvarchar(50)', required: true, description: 'Where', values: ['North', 'South'] },
      { name: '@Limit', dataType: 'int', required: false, default: '10' },
    ],
    columns: [{ name: 'region', displayName: 'Region', type: 'categorical' }],
    roles: ['Query User'],
    timeoutSeconds: 30,
    maxRows: 500,
    cacheSeconds: 60,
    aiAccess: false,
    tags: ['one', 'two'],
  };
  const readOnly = { id: 'mine', queryName: 'QD_Mine', status: 'Active', version: 9, createdBy: 'me', draft: {} };
  const made = await create({ ...whole, ...readOnly });
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({
    ...whole,
    queryName: 'QD_Whole_Demo',
    status: 'Draft',
    version: 1,
    createdBy: 'admin',
    draft: null,
  });
  expect(made.json.id).not.toBe('mine');
  expect((await call('GET', `/${made.json.id}`)).json).toEqual(made.json);
  expect(made.json).toMatchObject({ canRun: false, canEdit: true, canValidate: true, canActivate: false, canVoid: true });
  const writtenBack = await call('PUT', `/${made.json.id}`, made.json);
  expect(writtenBack).toMatchObject({ status: 200, json: { version: 1, canEdit: true } });
  const validated = await call('POST', `/${made.json.id}/validate`);
  expect(validated.json.resultColumns).toMatchObject([
    { name: 'region', label: 'Region', class: 'categorical' },
    { name: 'most', label: 'most', class: 'numeric' },
  ]);
  expect(await created({ name: 'Bare' })).toMatchObject({
    description: '',
    tip: '',
    epilogue: null,
    columns: [],
    roles: [],
    timeoutSeconds: null,
    maxRows: null,
    cacheSeconds: null,
    aiAccess: true,
    tags: [],
  });
});

test('the technical name consists of prefix, name and database', async () => {
  const names = {
    'Sales by country': 'QD_Sales_by_country_Demo',
    '  Spaces   and -- signs! ': 'QD_Spaces_and_signs_Demo',
    'Übersicht für Café': 'QD_Ubersicht_fur_Cafe_Demo',
    'mIxEd 2026': 'QD_mIxEd_2026_Demo',
    продажи: 'QD_продажи_Demo',
    売上: 'QD_売上_Demo',
  };
  for (const [name, queryName] of Object.entries(names)) expect((await created({ name })).queryName).toBe(queryName);
  expect((await created({ name: 'Sales by country', database: 'Other base' })).queryName).toBe('QD_Sales_by_country_Other_base');
});

test('the technical name is unique across all its sources', async () => {
  const { id } = await created({ name: 'Unique one' });
  await created({ name: 'Unique two' });
  for (const name of ['Unique one', 'Unique-one', 'Uniqué one']) {
    const taken = await create({ name });
    expect([name, taken.status, problemOf(taken).code]).toEqual([name, 409, 'name_taken']);
  }
  expect((await call('PATCH', `/${id}`, { name: 'Unique, two' })).status).toBe(409);
  const race = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Raced name' })));
  expect(race.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
});

test('the technical name follows the name until the first activation', async () => {
  const { id } = await created({ name: 'Working title' });
  expect((await call('PATCH', `/${id}`, { name: 'Better title' })).json.queryName).toBe('QD_Better_title_Demo');
  await expectStatus(call('POST', `/${id}/validate`), 200);
  expect((await call('PATCH', `/${id}`, { name: 'Best title' })).json.queryName).toBe('QD_Best_title_Demo');
  for (const move of ['validate', 'activate', 'deactivate']) await expectStatus(call('POST', `/${id}/${move}`), 200);
  const renamed = await call('PATCH', `/${id}`, { name: 'Too late' });
  expect(renamed.json).toMatchObject({ name: 'Too late', queryName: 'QD_Best_title_Demo' });
  for (const move of ['validate', 'activate']) await expectStatus(call('POST', `/${id}/${move}`), 200);
  expect((await service.as(admin).run('QD_Best_title_Demo')).status).toBe(200);
  expect((await create({ name: 'Best title' })).status, 'and stays taken').toBe(409);
});

test('every invalid field is named', async () => {
  const parameter = { name: '@A', dataType: 'int' };
  const wrong: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ name: undefined }, ['name']],
    [{ name: '' }, ['name']],
    [{ name: '!!!' }, ['name']],
    [{ name: 'x'.repeat(201) }, ['name']],
    [{ name: 'x', sql: undefined }, ['sql']],
    [{ name: 'x', sql: '  ' }, ['sql']],
    [{ name: 'x', sql: 7 }, ['sql']],
    [{ name: 'x', database: 'No such' }, ['database']],
    [{ name: 'x', roles: ['No such'] }, ['roles.0']],
    [{ name: 'x', timeoutSeconds: 0 }, ['timeoutSeconds']],
    [{ name: 'x', timeoutSeconds: 301 }, ['timeoutSeconds']],
    [{ name: 'x', maxRows: 1.5 }, ['maxRows']],
    [{ name: 'x', aiAccess: 'yes' }, ['aiAccess']],
    [{ name: 'x', parameters: [parameter, { name: 'B', dataType: 'int' }] }, ['parameters.1.name']],
    [{ name: 'x', parameters: [parameter, parameter] }, ['parameters.1.name']],
    [{ name: 'x', parameters: [{ name: '@A', dataType: 'color' }] }, ['parameters.0.dataType']],
    [{ name: 'x', parameters: [{ name: '@A', dataType: 'int', default: 'ten' }] }, ['parameters.0.default']],
    [{ name: 'x', parameters: [{ name: '@A' }] }, ['parameters.0.dataType']],
    [{ name: 'x', columns: [{ name: 'a', type: 'round' }] }, ['columns.0.type']],
  ];
  for (const [body, fields] of wrong) {
    const refused = await create(body);
    expect([body, refused.status, fieldsOf(refused)]).toEqual([body, 400, fields]);
  }
});

test('validating returns the database error with line and column', async () => {
  let bad = 0;
  const validate = async (sql: string) => call('POST', `/${(await created({ name: `Bad ${++bad}`, sql })).id}/validate`);
  const syntax = await validate('select 1 as n,\n       2 as m\n  frm nowhere');
  expect(syntax.status).toBe(400);
  expect(problemOf(syntax)).toMatchObject({
    code: 'sql_invalid',
    errors: [{ field: 'sql', line: 3, column: expect.any(Number) }],
  });
  const column = await validate('select\n  no_such_column\nfrom orders');
  expect(problemOf(column).errors).toMatchObject([{ line: 2, column: 3 }]);
  expect(problemOf(column).detail).toContain('no_such_column');
  for (const sql of [
    'select 1; select 2',
    'create table x (a int)',
    'drop table orders',
    'delete from orders',
    "copy orders to 'x.csv'",
  ])
    expect([sql, problemOf(await validate(sql)).code]).toEqual([sql, 'sql_invalid']);
});

test('placeholders and parameters must match in both directions', async () => {
  const validate = async (name: string, sql: string, parameters: readonly unknown[], columns: readonly unknown[] = []) =>
    call('POST', `/${(await created({ name, sql, parameters, columns })).id}/validate`);
  const region = { name: '@Region', dataType: 'text' };
  const undeclared = await validate('Undeclared', 'select @Region as r, @Other as o', [region]);
  expect([undeclared.status, fieldsOf(undeclared)]).toEqual([400, ['sql']]);
  expect(problemOf(undeclared).detail).toContain('@Other');
  const unused = await validate('Unused', 'select @Region as r', [region, { name: '@Idle', dataType: 'int' }]);
  expect([unused.status, fieldsOf(unused)]).toEqual([400, ['parameters.1.name']]);
  expect((await validate('Other case', 'select @region as r', [region])).status, 'names are case-sensitive').toBe(400);
  expect((await validate('In a text', "select '@Region' as r, @Region as s -- @Other", [region])).status).toBe(200);
  const misnamed = await validate('Misnamed', 'select @Region as r', [region], [{ name: 'nope', displayName: 'N' }]);
  expect(fieldsOf(misnamed)).toEqual(['columns.0.name']);
  const twice = await validate('Twice', 'select @Region as r', [region], [{ name: 'r', displayName: 'R' }, { name: 'r' }]);
  expect(fieldsOf(twice)).toEqual(['columns.1.name']);
});

test('preview runs unsaved SQL for authors only and returns the first 100 rows', async () => {
  const preview = (body: unknown, caller = service.as(admin)) =>
    caller.call<{ data: unknown[]; columns: unknown[] }>('POST', '/api/v1/queries/preview', body);
  const many = await preview({ database: 'Demo', sql: 'select i as n, cast(i as varchar) as t from range(1000) r(i)' });
  expect(many.status).toBe(200);
  expect(many.json.data).toHaveLength(100);
  expect(many.json.columns).toEqual([
    { name: 'n', type: 'numeric' },
    { name: 't', type: 'categorical' },
  ]);
  const parameters = [{ name: '@N', dataType: 'int', required: true }];
  const sql = 'select @N + 1 as n';
  for (const values of [{ '@N': 41 }, { '@N': '41' }, [{ parameterName: '@N', value: '41' }]])
    expect((await preview({ database: 'Demo', sql, parameters, values })).json.data).toEqual([{ n: 42 }]);
  expect(fieldsOf(await preview({ database: 'Demo', sql, parameters }))).toEqual(['@N']);
  expect(fieldsOf(await preview({ database: 'Demo', sql }))).toEqual(['sql']);
  expect(fieldsOf(await preview({ database: 'Nowhere', sql: 'select 1' }))).toEqual(['database']);
  expect(problemOf(await preview({ database: 'Demo', sql: 'select x' })).code).toBe('sql_invalid');
  expect(problemOf(await preview({ database: 'Other base', sql: 'insert into t values (1)' })).code).toBe('sql_invalid');
  expect((await preview({ database: 'Other base', sql: 'select count(*) as n from t' })).json.data).toEqual([{ n: 0 }]);

  const { caller: user } = await createUser(service, 'user', { roles: ['Query User'], databases: ['Demo'] });
  expect((await preview({ database: 'Demo', sql: 'select 1 as n' }, user)).status).toBe(403);
  const { caller: author } = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
  expect((await preview({ database: 'Demo', sql: 'select 1 as n' }, author)).status).toBe(200);
  expect(fieldsOf(await preview({ database: 'Other base', sql: 'select 1 as n' }, author)), 'not in scope').toEqual(['database']);
});

test('the list supports filters by status, database and tag, search and paging', async () => {
  await publish(service.as(admin), { name: 'Listed A', sql: 'select 1 as n', tags: ['Listing'], description: 'findable words' });
  await created({ name: 'Listed B', tags: ['listing'], database: 'Other base', sql: 'select id from t' });
  const list = async (query: string) =>
    (await expectStatus(service.as(admin).call<List<Query>>('GET', `/api/v1/queries?${query}`), 200)).json;
  const names = async (query: string) => (await list(query)).items.map(({ name }) => name);
  expect(await names('tag=listing')).toEqual(['Listed A', 'Listed B']);
  expect(await names('tag=listing&status=Active')).toEqual(['Listed A']);
  expect(await names('search=listed&database=Other%20base')).toEqual(['Listed B']);
  expect(await names('search=FINDABLE')).toEqual(['Listed A']);
  expect(await names('search=QD_Listed_B')).toEqual(['Listed B']);
  expect(await names('database=Nowhere')).toEqual([]);
  expect((await service.as(admin).call('GET', '/api/v1/queries?status=Lost')).status).toBe(400);
  const first = await list('tag=listing&limit=1');
  expect([first.items.length, (await list(`tag=listing&limit=1&cursor=${first.nextCursor}`)).nextCursor]).toEqual([1, null]);
});
