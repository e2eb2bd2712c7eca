import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type Caller,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

const rows = 10_000;
const runaway = 'WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s) SELECT count(*) AS n FROM s';

let service: TestService;
let caller: Caller;
let databaseId: string;

beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  caller = service.as(admin);
  const database = new DatabaseSync(join(service.files, 'shop.db'));
  database.exec(`
    CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT NOT NULL, total DECIMAL(12,2), paid BOOLEAN, placed_at DATETIME, tags JSON);
    CREATE TABLE log (note TEXT);
    WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ${rows})
    INSERT INTO orders
    SELECT n, iif(n % 3, 'south', 'north'), n * 0.25, n % 2, datetime('2026-01-31 09:30:00', '+' || n || ' hours'), json_array(n) FROM s;`);
  database.close();
});
afterAll(() => service.close());

test('accepts a file in an allowed folder and refuses one outside', async () => {
  const definition = (file: string) => ({ name: 'Shop', kind: 'sqlite', connection: { file } });
  const refused = await expectStatus(
    caller.call('POST', '/api/v1/databases', definition(join(service.folder, 'metadata.db'))),
    400,
  );
  expect(problemOf(refused).errors).toMatchObject([{ field: 'connection.file' }]);
  const created = await expectStatus(caller.call<{ id: string }>('POST', '/api/v1/databases', definition('shop.db')), 201);
  databaseId = created.json.id;
  const tested = await expectStatus(caller.call('POST', `/api/v1/databases/${databaseId}/test`), 200);
  expect(tested.json).toMatchObject({ ok: true });
  const schema = await expectStatus(caller.call('GET', `/api/v1/databases/${databaseId}/schema`), 200);
  expect(schema.json).toMatchObject({ tables: [{ name: 'log' }, { name: 'orders' }] });
});

test('pages contain every row once, in wire format', async () => {
  const sql = 'SELECT * FROM orders WHERE region = @Region OR @Region IS NULL ORDER BY id';
  const parameters = [{ name: '@Region', dataType: 'text', required: false }];
  const { queryName } = await publish(caller, { name: 'Orders', database: 'Shop', sql, parameters });
  const seen: unknown[] = [];
  let first: unknown;
  let headers: Record<string, string> = { RowSize: '997' };
  for (let code: string | null = ''; code !== null;) {
    const { json } = await expectStatus(caller.run(queryName, [], headers), 200);
    first ??= json.Data[0];
    seen.push(...json.Data.map(({ id }) => id));
    code = json.QueryMoreCode;
    headers = { RowSize: '997', RowIndex: String(json.NextRowIndex), QueryMoreCode: code ?? '' };
  }
  expect(seen).toEqual(Array.from({ length: rows }, (_, i) => i + 1));
  expect(first).toEqual({ id: 1, region: 'south', total: 0.25, paid: true, placed_at: '2026-01-31T10:30:00', tags: [1] });

  const north = await caller.run(queryName, [{ ParameterName: '@Region', Value: 'north', DataType: 'nvarchar(10)' }]);
  expect(north.json.Data[0]).toMatchObject({ id: 3, region: 'north' });
});

test('an author sees where the SQL is invalid, and that writing is refused', async () => {
  const preview = (sql: string) => caller.call('POST', '/api/v1/queries/preview', { database: 'Shop', sql, parameters: [] });
  const wrong = await expectStatus(preview('SELECT id\nFROM orders\nWHERE WHERE id = 1'), 400);
  expect(problemOf(wrong)).toMatchObject({ code: 'sql_invalid', errors: [{ line: 3, column: 7 }] });
  const writing = await expectStatus(preview('DELETE FROM orders RETURNING id'), 400);
  expect(problemOf(writing).code).toBe('sql_invalid');
});

test('an endless query can be cancelled and does not block other queries', async () => {
  const endless = await publish(caller, { name: 'Endless', database: 'Shop', sql: runaway });
  const quick = await publish(caller, { name: 'Count', database: 'Shop', sql: 'SELECT count(*) AS n FROM orders' });
  const calls = [caller.run(endless.queryName), caller.run(endless.queryName)];
  const running = async () => (await caller.call<List<{ id: string; query: string }>>('GET', '/api/v1/executions')).json.items;
  const listed = await waitUntil(running, (all) => all.length === 2);
  expect(listed.map(({ query }) => query)).toEqual([endless.queryName, endless.queryName]);

  for (let i = 0; i < 20; i++) {
    expect((await expectStatus(caller.run(quick.queryName), 200)).json.Data).toEqual([{ n: rows }]);
  }
  expect((await running()).map(({ id }) => id)).toEqual(listed.map(({ id }) => id));

  for (const { id } of listed) await expectStatus(caller.call('DELETE', `/api/v1/executions/${id}`), 204);
  for (const response of await Promise.all(calls)) {
    expect([response.status, problemOf(response).code]).toEqual([500, 'query_cancelled']);
  }
  expect(await running()).toEqual([]);
  expect((await expectStatus(caller.run(quick.queryName), 200)).json.Data).toEqual([{ n: rows }]);
});

test('an Epilogue can write to a writable database', async () => {
  const definition = { name: 'Ledger', kind: 'sqlite', connection: { file: 'shop.db' }, writable: true };
  await expectStatus(caller.call('POST', '/api/v1/databases', definition), 201);
  const { queryName } = await publish(caller, {
    name: 'Noted',
    database: 'Ledger',
    sql: 'SELECT count(*) AS n FROM log',
    epilogue: "INSERT INTO log VALUES ('read')",
  });
  for (const n of [0, 1, 2]) expect((await expectStatus(caller.run(queryName), 200)).json.Data).toEqual([{ n }]);
});
