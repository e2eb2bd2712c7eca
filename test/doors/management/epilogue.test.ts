import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import { embedOf, getEmbedUrl, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

interface Query {
  readonly id: string;
  readonly queryName: string;
  readonly [field: string]: unknown;
}

let service: TestService;
let databaseId: string;
beforeAll(async () => {
  service = await startTestService();
  await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (who varchar, amount integer check (amount < 100))']);
  const database = { name: 'Ledger', kind: 'duckdb', connection: { file: 'ledger.duckdb' }, writable: true };
  const { json } = await expectStatus(service.as(admin).call<Query>('POST', '/api/v1/databases', database), 201);
  databaseId = json.id;
  await publish(service.as(admin), { name: 'Count', database: 'Ledger', sql: 'select count(*) as n from log' });
});
afterAll(() => service.close());

const create = (body: Record<string, unknown>, caller = service.as(admin)) =>
  caller.call<Query>('POST', '/api/v1/queries', { database: 'Ledger', sql: 'select 1 as n', parameters: [], ...body });
const count = async () => (await expectStatus(service.as(admin).run('QD_Count_Ledger'), 200)).json.Data[0]?.n;
const insert = "insert into log values ('x', 1)";

test('requires the permission and a writable database', async () => {
  const { caller } = await createUser(service, 'author', { roles: ['Query Publisher'], databases: ['*'] });
  const refused = await create({ name: 'No permission', epilogue: insert }, caller);
  expect([refused.status, problemOf(refused).detail]).toEqual([403, expect.stringContaining('queries.epilogue')]);
  const readOnly = await create({ name: 'Read only', database: 'Demo', epilogue: insert });
  expect([readOnly.status, fieldsOf(readOnly)]).toEqual([400, ['epilogue']]);

  const { json } = await create({ name: 'Fine', epilogue: insert });
  expect((await caller.call('PATCH', `/api/v1/queries/${json.id}`, { epilogue: 'delete from log' })).status).toBe(403);
  expect((await caller.call('PATCH', `/api/v1/queries/${json.id}`, { sql: 'select 2 as n' })).status, 'nor what it follows').toBe(
    403,
  );
  expect((await caller.call('PATCH', `/api/v1/queries/${json.id}`, { tip: 'a tip' })).status, 'but its labels').toBe(200);
  await expectStatus(caller.call('POST', `/api/v1/queries/${json.id}/validate`), 200);
  expect((await caller.call('POST', `/api/v1/queries/${json.id}/activate`)).status, 'publishing it needs the right too').toBe(
    403,
  );
  await expectStatus(service.as(admin).call('POST', `/api/v1/queries/${json.id}/activate`), 200);
});

test('an Epilogue that the database rejects is neither validated nor activated', async () => {
  const before = await count();
  const caller = service.as(admin);
  const { json } = await create({ name: 'Misspelt', epilogue: 'delete from log\nwhere nope = 1' });
  const refused = await caller.call('POST', `/api/v1/queries/${json.id}/validate`);
  expect([refused.status, problemOf(refused)]).toEqual([
    400,
    expect.objectContaining({
      code: 'sql_invalid',
      errors: [expect.objectContaining({ field: 'epilogue', message: expect.stringContaining('nope'), line: 2, column: 7 })],
    }),
  ]);
  expect((await caller.call('POST', `/api/v1/queries/${json.id}/activate`)).status).toBe(409);
  await expectStatus(caller.call('PATCH', `/api/v1/queries/${json.id}`, { epilogue: insert }), 200);
  await expectStatus(caller.call('POST', `/api/v1/queries/${json.id}/validate`), 200);
  expect(await count()).toBe(before);
});

test('runs once per execution, regardless of the pages read', async () => {
  const before = Number(await count());
  const { queryName } = await publish(service.as(admin), {
    name: 'Paged',
    database: 'Ledger',
    sql: 'select i as n from range(25) r(i)',
    epilogue: insert,
  });
  let headers: Record<string, string> = { RowSize: '10' };
  const seen: unknown[] = [];
  for (let page = 0; page < 3; page++) {
    const { json } = await expectStatus(service.as(admin).run(queryName, [], headers), 200);
    seen.push(...json.Data.map(({ n }) => n));
    headers = { QueryMoreCode: json.QueryMoreCode ?? '' };
  }
  expect(seen).toHaveLength(25);
  expect(await count()).toBe(before + 1);
  await expectStatus(service.as(admin).run(queryName), 200);
  expect(await count()).toBe(before + 2);
});

test('gets the parameters, and the next call sees its changes', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'With parameter',
    database: 'Ledger',
    sql: "select coalesce(max(amount), 0) as most from log where who = 'parameter'",
    epilogue: "insert into log values ('parameter', @Amount)",
    parameters: [{ name: '@Amount', dataType: 'int', required: true }],
  });
  const run = async (Value: string) => (await service.as(admin).run(queryName, [{ ParameterName: '@Amount', Value }])).json.Data;
  expect(await run('7')).toEqual([{ most: 0 }]);
  expect(await run('9')).toEqual([{ most: 7 }]);
});

test('a failure of the Epilogue, the rows or a parameter rolls everything back', async () => {
  const before = await count();
  const broken = await publish(service.as(admin), {
    name: 'Breaks',
    database: 'Ledger',
    sql: 'select 1 as n',
    epilogue: "insert into log select 'x', case when i < 5 then i else 100 end from range(10) r(i)",
  });
  const response = await service.as(admin).run(broken.queryName);
  expect([response.status, problemOf(response).code]).toEqual([500, 'query_failed']);
  expect(response.text, 'what the database says stays in the log').not.toMatch(/constraint|insert/i);
  const failing = await publish(service.as(admin), {
    name: 'Fails late',
    database: 'Ledger',
    sql: "select cast(case when i = 4999 then 'x' else '1' end as integer) as n from range(5000) r(i)",
    epilogue: insert,
  });
  expect((await service.as(admin).run(failing.queryName, [], { RowSize: '10' })).status).toBe(500);
  expect(await count()).toBe(before);
});

test('a query without an Epilogue cannot write, even on a writable database', async () => {
  const before = await count();
  const { json } = await create({ name: 'Sneaky', sql: `${insert} returning amount` });
  expect((await service.as(admin).call('POST', `/api/v1/queries/${json.id}/validate`)).status).toBe(400);
  const preview = { database: 'Ledger', sql: `${insert} returning amount` };
  expect((await service.as(admin).call('POST', '/api/v1/queries/preview', preview)).status).toBe(400);
  expect(await count()).toBe(before);
});

test('a query with an Epilogue is closed to AI unless its author opens it', async () => {
  const { json } = await create({ name: 'Closed', epilogue: insert });
  expect(json.aiAccess).toBe(false);
  expect((await create({ name: 'Opened', epilogue: insert, aiAccess: true })).json.aiAccess).toBe(true);
  const reading = (await create({ name: 'Begins reading' })).json;
  expect(reading.aiAccess).toBe(true);
  const patched = await service.as(admin).call('PATCH', `/api/v1/queries/${reading.id}`, { epilogue: insert });
  expect(patched.json.aiAccess).toBe(false);
});

test('is refused before it runs when the database is no longer writable', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'Last',
    database: 'Ledger',
    sql: 'select 1 as n',
    epilogue: insert,
  });
  const before = await count();
  const writable = (value: boolean) =>
    expectStatus(service.as(admin).call('PATCH', `/api/v1/databases/${databaseId}`, { writable: value }), 200);
  await writable(false);
  expect((await service.as(admin).run(queryName)).status).toBeGreaterThanOrEqual(400);
  expect(await count()).toBe(before);
  await writable(true);
  expect((await service.as(admin).run(queryName)).status).toBe(200);
  expect(await count()).toBe(Number(before) + 1);
});

test('a query with an Epilogue cannot be embedded, so that page views change nothing', async () => {
  const caller = service.as(admin);
  const sql = "select 'x' as label, 1 as value";
  const writing = await publish(caller, { name: 'Chart that writes', database: 'Ledger', sql, epilogue: insert });
  const before = await count();
  const refused = await getEmbedUrl(caller, { queryName: writing.queryName });
  expect([refused.status, problemOf(refused)]).toEqual([
    409,
    expect.objectContaining({ code: 'state_conflict', detail: expect.stringContaining('Epilogue') }),
  ]);

  // nor when the query gets an Epilogue later
  const query = await publish(caller, { name: 'Chart that read', database: 'Ledger', sql });
  const link = await embedOf(caller, { queryName: query.queryName });
  await expectStatus(view(service.as(), link.Token), 200);
  await expectStatus(caller.call('PATCH', `/api/v1/queries/${query.id}`, { epilogue: insert }), 200);
  for (const move of ['validate', 'activate'])
    await expectStatus(caller.call('POST', `/api/v1/queries/${query.id}/${move}`), 200);
  const response = await view(service.as(), link.Token);
  expect([response.status, response.text]).toEqual([409, expect.stringContaining('The query behind this chart has changed')]);
  const image = await service.as().call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${link.Token}`);
  expect([image.status, image.headers.get('content-type')]).toEqual([409, 'image/svg+xml; charset=utf-8']);
  expect(await count()).toBe(before);
});
