import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeMariadb } from '../../support/databases/mariadb-server.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

const server = await makeMariadb();
if (typeof server === 'string') describe.skip(server, () => {});
else {
  afterAll(() => server.remove());
  describe('a MariaDB database behind the service', () => {
    const password = randomBytes(8).toString('hex');
    let service: TestService;
    let caller: Caller;
    let databaseId: string;
    let queryName: string;

    beforeAll(async () => {
      await server.execute(
        'CREATE DATABASE shop CHARACTER SET utf8mb4',
        'USE shop',
        `CREATE TABLE orders (id int PRIMARY KEY, region varchar(20), total decimal(12,2), paid bit(1), placed_at timestamp(3) NULL)
         SELECT seq AS id, IF(seq % 3 = 0, 'north', 'süd') AS region, seq * 1.10 AS total, seq % 2 AS paid,
           timestamp '2026-01-31 07:30:00' + INTERVAL seq HOUR AS placed_at FROM seq_1_to_60`,
        `CREATE USER shop IDENTIFIED BY '${password}'`,
        'GRANT SELECT ON shop.* TO shop',
      );
      service = await startTestService({ SLUICE_DEMO: 'off' });
      caller = service.as(admin);
    });
    afterAll(() => service.close());

    const region = (value: string) => ({ ParameterName: '@Region', Value: value, DataType: 'nvarchar(20)' });

    test('is created, tested and returned without its password', async () => {
      const connection = { host: server.host, port: server.port, user: 'shop', password, database: 'shop' };
      const created = await expectStatus(
        caller.call<{ id: string }>('POST', '/api/v1/databases', { name: 'Shop', kind: 'mysql', connection }),
        201,
      );
      databaseId = created.json.id;
      expect(created.text).not.toContain(password);
      const tested = await expectStatus(caller.call('POST', `/api/v1/databases/${databaseId}/test`), 200);
      expect(tested.json).toEqual({ ok: true });
      const asRoot = { ...connection, ...server.root };
      const rooted = await caller.call('POST', '/api/v1/databases/test', { name: 'Root', kind: 'mysql', connection: asRoot });
      expect(rooted.text).toContain('administrator');
      for (const [wrong, message] of [
        [{ password: 'wrong' }, /refused the user or the password/],
        [{ database: 'none' }, /no database with this name/],
        [{ tls: true }, /not signed by a trusted authority/],
      ] as const) {
        const body = { name: 'Wrong', kind: 'mysql', connection: { ...connection, ...wrong } };
        const tried = await caller.call('POST', '/api/v1/databases/test', body);
        expect(tried.json).toEqual({ ok: false, message: expect.stringMatching(message), detail: expect.any(String) });
      }
      const wrong = { name: 'Wrong', kind: 'mysql', connection: { ...connection, port: 0, ssl: true } };
      const refused = await caller.call<{ errors: { field: string }[] }>('POST', '/api/v1/databases', wrong);
      expect(refused.status).toBe(400);
      expect(refused.json.errors.map(({ field }) => field)).toEqual(['connection.ssl', 'connection.port']);
    });

    test('a query with parameters returns pages', async () => {
      const sql = 'SELECT id, region, total, paid, placed_at FROM orders WHERE region = @Region ORDER BY id LIMIT @Most';
      const parameters = [
        { name: '@Region', dataType: 'text', required: true },
        { name: '@Most', dataType: 'int', required: false, default: '1000' },
      ];
      ({ queryName } = await publish(caller, { name: 'Orders', database: 'Shop', sql, parameters }));
      const seen: unknown[] = [];
      let headers: Record<string, string> = { RowSize: '8' };
      for (;;) {
        const { json } = await expectStatus(caller.run(queryName, [region('north')], headers), 200);
        seen.push(...json.Data);
        if (json.QueryMoreCode === null) break;
        headers = { RowSize: '8', RowIndex: String(json.NextRowIndex), QueryMoreCode: json.QueryMoreCode };
      }
      expect(seen).toHaveLength(20);
      expect(seen[0]).toEqual({ id: 3, region: 'north', total: 3.3, paid: true, placed_at: '2026-01-31T10:30:00Z' });
      const response = await caller.run(queryName, [region('süd'), { ParameterName: '@Most', Value: '2', DataType: 'int' }]);
      expect(response.json.Data.map(({ id, region }) => [id, region])).toEqual([
        [1, 'süd'],
        [2, 'süd'],
      ]);
      expect(response.text).toContain('"total":1.10');
    });

    test('the database error of an invalid query is shown to its author only', async () => {
      const draft = { database: 'Shop', sql: 'SELECT id,\n  nothing FROM orders', parameters: [] };
      const response = await caller.call('POST', '/api/v1/queries/preview', draft);
      expect(response.status).toBe(400);
      expect(response.json).toMatchObject({ code: 'sql_invalid', errors: [{ line: 2, column: 3 }] });
    });

    test('returns 503 while the server is down, and rows after it is back', async () => {
      await server.crash();
      const gone = await caller.run(queryName, [region('north')]);
      expect(gone.status).toBe(503);
      expect(gone.json).toMatchObject({ code: 'database_unavailable' });
      expect(gone.text).not.toMatch(/ECONN|127\.0\.0\.1|orders/);
      await server.start();
      await expectStatus(caller.run(queryName, [region('north')]), 200);
    });
  });
}
