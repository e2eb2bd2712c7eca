import { randomBytes } from 'node:crypto';
import { Connection, Request } from 'tedious';
import { afterAll } from 'vitest';
import { sqlserver } from '../../../src/connectors/sqlserver/index.ts';
import type { ConnectorFixture } from '../connector-contract.ts';
import { requestFor, sqlserverFixture } from './fixture.ts';

/**
 * Runs the suite against a real server, `sqlserver://sa:password@host:1433?tls=trust`, with an account that may create databases
 * and logins. It creates temporary ones and removes them.
 */
export async function realSqlServer(url: string): Promise<ConnectorFixture> {
  const { hostname: host, port, username, password, searchParams } = new URL(url);
  const server = { host, port: Number(port || 1433), trust: searchParams.get('tls') === 'trust' };
  const admin = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  const suffix = randomBytes(6).toString('hex');
  const names = { database: `sluice_${suffix}`, reader: `sluice_reader_${suffix}`, writer: `sluice_writer_${suffix}` };
  const secret = `Aa1!${randomBytes(16).toString('hex')}`;

  const onServer = (database: string, statements: readonly string[]) => execute({ ...server, ...admin, database }, statements);
  await onServer('master', [
    `CREATE DATABASE ${names.database}`,
    `CREATE LOGIN ${names.reader} WITH PASSWORD = '${secret}'`,
    `CREATE LOGIN ${names.writer} WITH PASSWORD = '${secret}'`,
  ]);
  await onServer(names.database, [
    'CREATE TABLE items (id int NOT NULL, name nvarchar(50) NOT NULL, note nvarchar(max))',
    "INSERT INTO items VALUES (1, N'one', NULL), (2, N'two', N'second')",
    'CREATE TABLE log (number int)',
    'CREATE VIEW named AS SELECT name FROM items',
    'CREATE SEQUENCE numbers AS int START WITH 1',
    `CREATE USER ${names.reader} FOR LOGIN ${names.reader}`,
    `CREATE USER ${names.writer} FOR LOGIN ${names.writer}`,
    `ALTER ROLE db_datareader ADD MEMBER ${names.reader}`,
    `ALTER ROLE db_datareader ADD MEMBER ${names.writer}`,
    `ALTER ROLE db_datawriter ADD MEMBER ${names.writer}`,
  ]);
  afterAll(() =>
    onServer('master', [
      `ALTER DATABASE ${names.database} SET SINGLE_USER WITH ROLLBACK IMMEDIATE`,
      `DROP DATABASE ${names.database}`,
      `DROP LOGIN ${names.reader}`,
      `DROP LOGIN ${names.writer}`,
    ]),
  );

  return sqlserverFixture(async ({ writable }) => {
    const connector = await sqlserver.open(
      requestFor(
        {
          host,
          port: server.port,
          user: writable ? names.writer : names.reader,
          password: secret,
          database: names.database,
          tls: server.trust ? { rejectUnauthorized: false } : false,
        },
        writable,
      ),
    );
    const canary = async () =>
      JSON.stringify(
        await onServer(names.database, [
          'SELECT CHECKSUM_AGG(BINARY_CHECKSUM(id, name, note)), COUNT(*) FROM items',
          'SELECT COUNT(*) FROM log',
          "SELECT COUNT(*) FROM sys.objects WHERE type IN ('U', 'V')",
          'SELECT CAST(current_value AS int) FROM sys.sequences',
        ]),
      );
    return { connector, canary, close: () => connector.close() };
  });
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly trust: boolean;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

async function execute(
  { host, port, trust, user, password, database }: Target,
  statements: readonly string[],
): Promise<unknown[]> {
  const connection = new Connection({
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: { port, database, encrypt: trust, trustServerCertificate: trust },
  });
  await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
  const values: unknown[] = [];
  for (const sql of statements) {
    await new Promise<void>((resolve, reject) => {
      const request = new Request(sql, (error) => (error ? reject(error) : resolve()));
      request.on('row', (cells: readonly { value: unknown }[]) => values.push(...cells.map(({ value }) => value)));
      connection.execSqlBatch(request);
    });
  }
  connection.close();
  return values;
}
