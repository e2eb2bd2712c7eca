import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, execute, postgresProblem } from '../../support/databases/postgres.ts';
import { startRelay, type TcpRelay } from '../../support/http/tcp-relay.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

const user = `shop_${randomBytes(4).toString('hex')}`;
const passwords = { first: randomBytes(8).toString('hex'), second: randomBytes(8).toString('hex') };

describe.skipIf(postgresProblem() !== null)('a PostgreSQL database behind the service', () => {
  let service: TestService;
  let caller: Caller;
  let relay: TcpRelay;
  let url: string;
  let databaseId: string;
  let queryName: string;

  beforeAll(async () => {
    url = await createDatabase();
    await execute(
      url,
      `CREATE TABLE orders AS SELECT i AS id, CASE i % 3 WHEN 0 THEN 'north' ELSE 'south' END AS region, (i * 1.10)::numeric(12,2) AS total,
         timestamptz '2026-01-31 09:30:00+02' + i * interval '1 hour' AS placed_at FROM generate_series(1, 60) i;
       CREATE ROLE ${user} LOGIN PASSWORD '${passwords.first}';
       GRANT SELECT ON orders TO ${user};`,
    );
    const { hostname, port } = new URL(url);
    relay = await startRelay({ host: hostname, port: Number(port) });
    service = await startTestService({ SLUICE_DEMO: 'off' });
    caller = service.as(admin);
  });
  afterAll(async () => {
    await service.close();
    await relay.stop();
  });

  const backends = async () =>
    (await execute(url, `SELECT pid FROM pg_stat_activity WHERE usename = '${user}' ORDER BY pid`)).map(({ pid }) => pid);
  const north = { ParameterName: '@Region', Value: 'north', DataType: 'nvarchar(20)' };

  test('is created without connecting, and its password is never returned', async () => {
    const { pathname } = new URL(url);
    const connection = { host: '127.0.0.1', port: relay.port, user, password: passwords.first, database: pathname.slice(1) };
    const created = await expectStatus(
      caller.call<{ id: string }>('POST', '/api/v1/databases', { name: 'Shop', kind: 'postgres', connection }),
      201,
    );
    databaseId = created.json.id;
    expect(await backends()).toEqual([]);
    const shown = await expectStatus(caller.call('GET', `/api/v1/databases/${databaseId}`), 200);
    const listed = await expectStatus(caller.call('GET', '/api/v1/databases'), 200);
    for (const { text } of [created, shown, listed]) {
      expect(text).toContain(user);
      expect(text).not.toContain(passwords.first);
    }
    const tested = await expectStatus(caller.call('POST', `/api/v1/databases/${databaseId}/test`), 200);
    expect(tested.json).toEqual({ ok: true });
    const schema = await expectStatus(caller.call('GET', `/api/v1/databases/${databaseId}/schema`), 200);
    expect(schema.text).toContain('numeric(12,2)');
  });

  test('a test that fails says in words what to check, with the text of the server as detail', async () => {
    const { pathname } = new URL(url);
    const right = { host: '127.0.0.1', port: relay.port, user, password: passwords.first, database: pathname.slice(1) };
    const tested = async (wrong: Record<string, unknown>) => {
      const body = { name: 'Wrong', kind: 'postgres', connection: { ...right, ...wrong } };
      return (await expectStatus(caller.call('POST', '/api/v1/databases/test', body), 200)).json;
    };
    const refused = (message: RegExp, detail: RegExp) => ({
      ok: false,
      message: expect.stringMatching(message),
      detail: expect.stringMatching(detail),
    });
    expect(await tested({ password: 'wrong' })).toEqual(refused(/refused the user or the password/, /password authentication/));
    expect(await tested({ database: 'none' })).toEqual(refused(/no database with this name/, /"none" does not exist/));
    expect(await tested({ tls: true })).toEqual(refused(/does not use TLS at this port/, /SSL/));
    expect(await tested({ host: 'no-such-host.invalid' })).toEqual(refused(/cannot be resolved/, /ENOTFOUND|EAI_AGAIN/));
  });

  test('an invalid field is named', async () => {
    const response = await caller.call<{ errors: { field: string }[] }>('POST', '/api/v1/databases', {
      name: 'Wrong',
      kind: 'postgres',
      connection: { host: '127.0.0.1', port: 0, user, database: 'x', sslmode: 'require' },
    });
    expect(response.status).toBe(400);
    expect(response.json.errors.map(({ field }) => field)).toEqual(['connection.sslmode', 'connection.port']);
  });

  test('a client disconnect cancels the query in the database', async () => {
    const { queryName: slow } = await publish(caller, {
      name: 'Slow',
      database: 'Shop',
      sql: 'SELECT pg_sleep(60)::text AS slept',
    });
    const sleeping = async () =>
      (
        await execute(
          url,
          `SELECT 1 FROM pg_stat_activity WHERE usename = '${user}' AND state = 'active' AND query LIKE '%pg_sleep%'`,
        )
      ).length;
    const leaving = new AbortController();
    const call = fetch(`${service.url}/api/v1/JsonBuilder/ExecuteQuery`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${admin.username}:${admin.password}`).toString('base64')}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ QueryName: slow, Parameters: [] }),
      signal: leaving.signal,
    });
    call.catch(() => {}); // aborted on purpose
    await expect.poll(sleeping).toBe(1);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(sleeping).toBe(0);
  });

  test('a query with parameters returns pages', async () => {
    const sql = 'SELECT id, region, total, placed_at FROM orders WHERE region = @Region AND total >= @Least ORDER BY id';
    const parameters = [
      { name: '@Region', dataType: 'text', required: true },
      { name: '@Least', dataType: 'decimal(12,2)', required: false, default: '0' },
    ];
    ({ queryName } = await publish(caller, { name: 'Orders', database: 'Shop', sql, parameters }));
    const seen: unknown[] = [];
    let headers: Record<string, string> = { RowSize: '8' };
    for (;;) {
      const { json } = await expectStatus(caller.run(queryName, [north], headers), 200);
      seen.push(...json.Data);
      if (json.QueryMoreCode === null) break;
      headers = { RowSize: '8', RowIndex: String(json.NextRowIndex), QueryMoreCode: json.QueryMoreCode };
    }
    expect(seen).toHaveLength(20);
    expect(seen[0]).toEqual({ id: 3, region: 'north', total: 3.3, placed_at: '2026-01-31T10:30:00Z' });
    const response = await caller.run(queryName, [north, { ParameterName: '@Least', Value: '60', DataType: 'decimal(12,2)' }]);
    expect(response.json.Data.map(({ id }) => id)).toEqual([57, 60]);
    expect(response.text).toContain('"total":66.00');
  });

  test('the database error of an invalid query is shown to its author only', async () => {
    const draft = { database: 'Shop', sql: 'SELECT id,\n  nothing FROM orders', parameters: [] };
    const response = await caller.call('POST', '/api/v1/queries/preview', draft);
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({ code: 'sql_invalid' });
    expect(response.text).toMatch(/nothing.*does not exist/);
  });

  test('a new password takes effect immediately, and the old connections are closed', async () => {
    const before = await backends();
    expect(before.length).toBeGreaterThan(0);
    await execute(url, `ALTER ROLE ${user} PASSWORD '${passwords.second}'`);
    const change = { connection: { password: passwords.second } };
    const changed = await expectStatus(caller.call('PATCH', `/api/v1/databases/${databaseId}`, change), 200);
    expect(changed.text).not.toContain(passwords.second);
    await expectStatus(caller.run(queryName, [north]), 200);
    await expect.poll(async () => (await backends()).filter((pid) => before.includes(pid))).toEqual([]);
    expect((await backends()).length).toBeGreaterThan(0);
  });

  test('returns 503 while the database is down, and rows after it is back', async () => {
    await relay.stop();
    const gone = await caller.run(queryName, [north]);
    expect(gone.status).toBe(503);
    expect(gone.json).toMatchObject({ code: 'database_unavailable' });
    expect(gone.text).not.toMatch(/ECONN|127\.0\.0\.1|orders/);
    await relay.start();
    await expectStatus(caller.run(queryName, [north]), 200);
  });
});
