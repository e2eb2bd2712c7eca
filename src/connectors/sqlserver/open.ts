import { bindNull, type Connector, type OpenRequest } from '../connector.ts';
import type { NetworkSettings } from '../network/network-engine.ts';
import { sessionPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/refusals.ts';
import { checkEpilogue, Descriptions } from './describe.ts';
import { engineError } from './engine-error.ts';
import { renderParameters } from './parameters.ts';
import { RowConnection } from './row-connection.ts';
import { type Database, run } from './run.ts';
import { readSchema } from './schema.ts';
import { Session, settleMs } from './session.ts';

/** Opens without connecting: the first run connects. */
export function openSqlServer(settings: NetworkSettings, { context, writable }: OpenRequest): Connector {
  const pool = sessionPool(() => connect(settings), context.connections);
  const database: Database = { pool, descriptions: new Descriptions(), writable };
  return {
    async describe(sql, parameters, signal) {
      const rendered = renderParameters(sql, parameters.map(bindNull));
      database.descriptions.forget(rendered); // the current state is requested
      return pool.use(signal, (session) => database.descriptions.query(session, rendered));
    },
    async checkEpilogue(sql, parameters, signal) {
      requireWritable(database);
      const rendered = renderParameters(sql, parameters.map(bindNull));
      await pool.use(signal, (session) => checkEpilogue(session, rendered));
    },
    run: (statement, options, signal) => run(database, statement, options, signal),
    schema: (signal) => pool.use(signal, readSchema).catch(rethrow),
    ping: (signal) => pool.use(signal, (session) => accountWarnings(session, writable)).catch(rethrow),
    close: () => pool.close(),
  };
}

function rethrow(error: unknown): never {
  throw engineError('failed', error);
}

/** Connects and logs in. Throws ConnectorError `unavailable`. */
export async function connect(settings: NetworkSettings): Promise<Session> {
  const { host, port, user, password, database, tls, connectTimeoutMs } = settings;
  const connection = new RowConnection({
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: {
      port,
      database,
      appName: 'sluice',
      ...(tls === false ? { encrypt: false } : tlsOptions(tls)),
      connectTimeout: connectTimeoutMs,
      requestTimeout: 0, // a run has its own deadline
      cancelTimeout: settleMs,
      maxRetriesOnTransientErrors: 0,
      abortTransactionOnError: true,
      packetSize: 8000,
    },
  });
  connection.on('error', () => {}); // the end event reports the loss
  const session = new Session(connection);
  try {
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    connection.close();
    throw engineError('unavailable', error);
  }
  return session;
}

function tlsOptions({ ca, rejectUnauthorized, servername }: Exclude<NetworkSettings['tls'], false>) {
  return {
    encrypt: true,
    trustServerCertificate: rejectUnauthorized === false,
    ...(servername === undefined ? {} : { serverName: servername }),
    ...(ca === undefined ? {} : { cryptoCredentialsDetails: { ca } }),
  };
}

/** Privileges of the account beyond reading, for the user who tests the connection. */
export async function accountWarnings(session: Session, writable: boolean): Promise<string[]> {
  const [row] = await session.rows(rights);
  const [administers, owns, writes, creates, executes] = (row ?? []).map((cell) => cell === 1);
  const warnings: string[] = [];
  if (administers) warnings.push('The account administers the server.');
  else if (owns) warnings.push('The account owns the database.');
  else {
    if (writes) {
      warnings.push('The account can change rows. SQL Server has no read-only sessions: give it db_datareader and nothing else.');
    }
    if (creates) warnings.push('The account can create or alter objects.');
    if (executes) warnings.push('The account can execute procedures of the database.');
  }
  if (writable) warnings.push('The connection is marked writable: an Epilogue can change its data.');
  return warnings;
}

const rights = `
  SELECT
    CASE WHEN IS_SRVROLEMEMBER('sysadmin') = 1 OR HAS_PERMS_BY_NAME(NULL, NULL, 'CONTROL SERVER') = 1 THEN 1 ELSE 0 END,
    CASE WHEN IS_ROLEMEMBER('db_owner') = 1 OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'CONTROL') = 1 THEN 1 ELSE 0 END,
    CASE WHEN IS_ROLEMEMBER('db_datawriter') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'INSERT') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'UPDATE') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'DELETE') = 1
        OR EXISTS (
          SELECT 1 FROM sys.objects o
          CROSS APPLY (VALUES (QUOTENAME(SCHEMA_NAME(o.schema_id)) + '.' + QUOTENAME(o.name))) AS full_name (text)
          WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0
            AND (HAS_PERMS_BY_NAME(full_name.text, 'OBJECT', 'INSERT') = 1
              OR HAS_PERMS_BY_NAME(full_name.text, 'OBJECT', 'UPDATE') = 1
              OR HAS_PERMS_BY_NAME(full_name.text, 'OBJECT', 'DELETE') = 1)
        ) THEN 1 ELSE 0 END,
    CASE WHEN IS_ROLEMEMBER('db_ddladmin') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'CREATE TABLE') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'ALTER') = 1 THEN 1 ELSE 0 END,
    CASE WHEN HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'EXECUTE') = 1 THEN 1 ELSE 0 END`;
