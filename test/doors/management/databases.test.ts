import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type ApiResponse,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

interface Database {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly [field: string]: unknown;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await makeDuckdbFile(service.files, 'sales.duckdb', [
    'create table orders (id bigint not null, region varchar)',
    "insert into orders values (1, 'North')",
    "comment on table orders is 'What was sold'",
    'create view northern as select * from orders',
  ]);
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  service.as(admin).call<Database>(method, `/api/v1/databases${path}`, body, headers);
const create = (body: Record<string, unknown>) =>
  call('POST', '', { kind: 'duckdb', connection: { file: 'sales.duckdb' }, ...body });

test('a database is created, read, changed, replaced and deleted', async () => {
  const made = await create({ name: 'Sales', description: 'What we sell' });
  expect(made.status).toBe(201);
  expect(made.json).toEqual({
    id: expect.any(String),
    lastTest: null,
    name: 'Sales',
    kind: 'duckdb',
    description: 'What we sell',
    connection: { file: 'sales.duckdb' },
    settings: {},
    disabled: false,
    writable: false,
    builtIn: false,
    version: 1,
    createdAt: expect.stringMatching(/Z$/),
  });
  expect(made.headers.get('etag')).toBe('"1"');
  const path = `/${made.json.id}`;
  expect((await call('GET', path)).json).toEqual(made.json);
  expect((await call('PATCH', path, { description: 'Else' }, { 'If-Match': '"1"' })).json).toMatchObject({
    description: 'Else',
    version: 2,
  });
  expect((await call('PATCH', path, { description: 'Lost' }, { 'If-Match': '"1"' })).status).toBe(412);
  const put = await call('PUT', path, { name: 'Sales', connection: { file: 'sales.duckdb' }, id: 'other', version: 77 });
  expect(put.json).toMatchObject({ id: made.json.id, description: '', version: 3 });
  expect(fieldsOf(await call('PATCH', path, { kind: 'sqlite' }))).toEqual(['kind']);
  expect((await call('DELETE', path, undefined, { 'If-Match': '"1"' })).status).toBe(412);
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
  const listed = (await service.as(admin).call<List<Database>>('GET', '/api/v1/databases')).json.items;
  expect(listed.map(({ name }) => name)).not.toContain('Sales');
  expect((await create({ name: 'Sales' })).status, 'the name is free again').toBe(201);
});

test('names are unique ignoring case, and invalid fields are named', async () => {
  const taken = await create({ name: 'DEMO' });
  expect([taken.status, problemOf(taken).code]).toEqual([409, 'name_taken']);
  const wrong: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ name: '' }, 'name'],
    [{ name: '---' }, 'name'],
    [{ name: undefined }, 'name'],
    [{ name: 'x', kind: 'nosql' }, 'kind'],
    [{ name: 'x', kind: '__proto__' }, 'kind'],
    [{ name: 'x', connection: {} }, 'connection.file'],
    [{ name: 'x', connection: 'file' }, 'connection'],
    [{ name: 'x', writable: 'yes' }, 'writable'],
  ];
  for (const [body, field] of wrong) {
    const refused = await create(body);
    expect([body, refused.status, fieldsOf(refused)]).toEqual([body, 400, [field]]);
  }
});

test('creating does not connect; the connection test reports a database that cannot be opened', async () => {
  const hollow = Buffer.alloc(4096);
  hollow.write('DUCK', 8);
  await writeFile(join(service.files, 'hollow.duckdb'), hollow);
  const made = await create({ name: 'Hollow', connection: { file: 'hollow.duckdb' } });
  expect(made.status).toBe(201);
  const probe = await call('POST', `/${made.json.id}/test`);
  expect([probe.status, probe.json]).toMatchObject([200, { ok: false, message: expect.stringMatching(/./) }]);
  const lastTest = async () => (await call('GET', `/${made.json.id}`)).json.lastTest;
  expect(await lastTest()).toEqual({ at: expect.any(String), ok: false, message: probe.json.message });
  await expectStatus(call('PATCH', `/${made.json.id}`, { description: 'Still broken' }), 200);
  expect(await lastTest()).toMatchObject({ ok: false });
  await expectStatus(call('PATCH', `/${made.json.id}`, { connection: { file: 'sales.duckdb' } }), 200);
  expect(await lastTest(), 'the connection has changed').toBeNull();
});

test('a connection can be tested before and after saving', async () => {
  const { json } = await create({ name: 'Tried' });
  expect((await call('POST', `/${json.id}/test`)).json).toEqual({ ok: true });
  const unsaved = (body: Record<string, unknown>) => call('POST', '/test', { kind: 'duckdb', ...body });
  const good = await unsaved({ connection: { file: 'sales.duckdb' } });
  expect([good.status, good.json]).toEqual([200, { ok: true }]);
  expect(fieldsOf(await unsaved({ connection: { file: '/etc/passwd' } }))).toEqual(['connection.file']);
  expect(fieldsOf(await unsaved({ kind: 'nosql', connection: {} }))).toEqual(['kind']);
  expect((await call('POST', '/no-such-thing/test')).status).toBe(404);
  const listed = (await service.as(admin).call<List<Database>>('GET', '/api/v1/databases')).json.items;
  expect(listed.map(({ name }) => name)).not.toContain('unsaved');
});

test('refuses a file outside the allowed folders, also through links and relative paths, and the data folder always', async () => {
  await copyFile(join(service.files, 'sales.duckdb'), join(service.folder, 'stolen.duckdb'));
  await mkdir(join(service.files, 'sub'));
  await symlink(service.folder, join(service.files, 'sub', 'data'));
  await symlink(join(service.folder, 'demo.duckdb'), join(service.files, 'demo-link.duckdb'));
  const outside = [
    '/etc/passwd',
    '../data/stolen.duckdb',
    join(service.folder, 'stolen.duckdb'),
    join(service.folder, 'metadata.sqlite'),
    join(service.folder, 'demo.duckdb'),
    'demo-link.duckdb',
    join(service.folder, 'no-such-file'),
    'sub/data/stolen.duckdb',
    `${service.files}/../data/stolen.duckdb`,
    ':memory:',
    '',
    'sales.duckdb\0',
  ];
  const messages = new Set<unknown>();
  for (const file of outside) {
    const refused = await create({ name: 'Outside', connection: { file } });
    expect([file, refused.status, fieldsOf(refused)]).toEqual([file, 400, ['connection.file']]);
    if (file.startsWith('/')) messages.add(problemOf(refused).detail);
  }
  expect(messages.size, 'does not reveal whether a file exists outside').toBe(1);
  const { json } = await create({ name: 'Moves' });
  expect(fieldsOf(await call('PATCH', `/${json.id}`, { connection: { file: '/etc/passwd' } }))).toEqual(['connection.file']);
});

test('queries of a disabled database are not accessible until it is enabled', async () => {
  const { json } = await create({ name: 'Switched' });
  const { id, queryName } = await publish(service.as(admin), {
    name: 'On it',
    database: 'Switched',
    sql: 'select id from orders',
  });
  expect((await service.as(admin).run(queryName)).status).toBe(200);
  await expectStatus(call('PATCH', `/${json.id}`, { disabled: true }), 200);
  const [refused, unknown] = [await service.as(admin).run(queryName), await service.as(admin).run('QD_No_Such_Query')];
  expect(refused.status).toBe(403);
  expect({ ...problemOf(refused), requestId: '' }).toEqual({ ...problemOf(unknown), requestId: '' });
  const query = () => service.as(admin).call('GET', `/api/v1/queries/${id}`);
  const reason = expect.stringContaining('is disabled');
  expect((await query()).json).toMatchObject({ canRun: false, cannotRunReason: reason });
  const preview = await service.as(admin).call('POST', '/api/v1/queries/preview', { database: 'Switched', sql: 'select 1 as n' });
  expect(preview.status).toBe(409);
  expect((await call('GET', `/${json.id}/schema`)).status).toBe(409);
  await expectStatus(call('PATCH', `/${json.id}`, { disabled: false }), 200);
  expect((await query()).json).toMatchObject({ canRun: true, cannotRunReason: null });
  expect((await service.as(admin).run(queryName)).status).toBe(200);
});

test('the demo database can be renamed and disabled, and keeps working', async () => {
  const [demo] = (await service.as(admin).call<List<Database>>('GET', '/api/v1/databases?search=demo')).json.items;
  expect((await call('PATCH', `/${demo?.id}`, { description: 'For trying' })).json).toMatchObject({ builtIn: true, version: 2 });
  expect((await call('POST', `/${demo?.id}/test`)).json).toEqual({ ok: true });
  expect((await call('GET', `/${demo?.id}/schema`)).status).toBe(200);
});

test('the demo database keeps its file', async () => {
  const [demo] = (await service.as(admin).call<List<Database>>('GET', '/api/v1/databases?search=demo')).json.items;
  const changed = await call('PATCH', `/${demo?.id}`, { connection: { file: 'sales.duckdb' } });
  expect([changed.status, fieldsOf(changed)]).toEqual([400, ['connection.file']]);
  await expectStatus(call('PUT', `/${demo?.id}`, demo), 200);
});

test('a database cannot be deleted while an Active query uses it', async () => {
  const { json } = await create({ name: 'Needed' });
  const query = await publish(service.as(admin), { name: 'User', database: 'Needed', sql: 'select id from orders' });
  const refused = await call('DELETE', `/${json.id}`);
  expect([refused.status, problemOf(refused).code]).toEqual([409, 'in_use']);
  await expectStatus(service.as(admin).call('POST', `/api/v1/queries/${query.id}/deactivate`), 200);
  expect((await call('DELETE', `/${json.id}`)).status).toBe(204);
  const back = await service.as(admin).call('POST', `/api/v1/queries/${query.id}/activate`);
  expect(back.status, 'cannot be activated without its database').toBe(400);
});

test('the schema lists tables, views and columns for authors with the database in scope', async () => {
  const { json } = await create({ name: 'Described' });
  const { caller: author } = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Described'] });
  const { caller: user } = await createUser(service, 'user', { roles: ['Query User'], databases: ['Described'] });
  const { caller: anonymous } = await createUser(service, 'stranger', { roles: ['Query Author'], databases: ['Demo'] });
  const schema: ApiResponse<Record<string, unknown>> = await author.call('GET', `/api/v1/databases/${json.id}/schema`);
  expect(schema.status).toBe(200);
  expect(schema.json).toMatchObject({
    tables: expect.arrayContaining([
      expect.objectContaining({
        name: 'orders',
        type: 'table',
        comment: 'What was sold',
        columns: [
          { name: 'id', type: 'BIGINT', nullable: false },
          { name: 'region', type: 'VARCHAR', nullable: true },
        ],
      }),
      expect.objectContaining({ name: 'northern', type: 'view' }),
    ]),
    truncated: false,
  });
  expect((await user.call('GET', `/api/v1/databases/${json.id}/schema`)).status).toBe(403);
  expect((await anonymous.call('GET', `/api/v1/databases/${json.id}/schema`)).status).toBe(404);
});

test('a user without databases.manage sees databases in scope without their connection and cannot change them', async () => {
  const { json } = await create({ name: 'Hidden details' });
  const { caller } = await createUser(service, 'reader', { roles: ['Query User'], databases: ['Hidden details'] });
  const { items } = (await caller.call<List<Database>>('GET', '/api/v1/databases')).json;
  expect(items).toEqual([{ id: json.id, name: 'Hidden details', kind: 'duckdb', description: '', version: 1 }]);
  expect((await caller.call('GET', `/api/v1/databases/${json.id}`)).json).toEqual(items[0]);
  const demo = (await service.as(admin).call<List<Database>>('GET', '/api/v1/databases?search=demo')).json.items[0];
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'x' }],
    ['PUT', '', { name: 'x', connection: { file: 'sales.duckdb' } }],
    ['DELETE', '', undefined],
    ['POST', '/test', undefined],
  ] as const) {
    expect((await caller.call(method, `/api/v1/databases/${json.id}${path}`, body)).status, 'seen: 403').toBe(403);
    expect((await caller.call(method, `/api/v1/databases/${demo?.id}${path}`, body)).status, 'unseen: 404').toBe(404);
  }
  expect((await caller.call('POST', '/api/v1/databases', { name: 'x', kind: 'duckdb', connection: {} })).status).toBe(403);
});

test('a password is never returned, and has to be sent again for another host', async () => {
  const connection = { host: '127.0.0.1', port: 1, user: 'reader', password: 'the secret of the database', database: 'sales' };
  const made = await create({ name: 'Far away', kind: 'postgres', connection });
  expect(made.status, 'creating does not connect').toBe(201);
  const path = `/${made.json.id}`;
  const { password: _, ...shown } = connection;
  expect(made.json.connection).toEqual(shown);
  expect((await call('POST', `${path}/test`)).json).toMatchObject({ ok: false });
  expect((await call('PATCH', path, { description: 'kept' })).json.connection).toEqual(shown);
  expect(fieldsOf(await call('PATCH', path, { connection: { host: '127.0.0.2' } }))).toEqual(['connection.password']);
  const moved = await call('PATCH', path, { connection: { host: '127.0.0.2', password: connection.password } });
  expect(moved.json.connection).toEqual({ ...shown, host: '127.0.0.2' });
  const everywhere = [
    await call('GET', path),
    await call('GET', ''),
    await service.as(admin).call('GET', '/api/v1/audit?limit=1000'),
  ];
  for (const { text } of [made, moved, ...everywhere]) expect(text).not.toContain(connection.password);
  expect(service.log().join('\n')).not.toContain(connection.password);
});
