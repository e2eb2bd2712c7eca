import type { Duplex } from 'node:stream';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { bindNull, type Connector, type OpenRequest } from '../connector.ts';
import type { NetworkSettings } from '../network/network-engine.ts';
import { sessionPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/refusals.ts';
import { engineError } from './engine-error.ts';
import { renderParameters } from './parameters.ts';
import { createPipeline } from './pipeline.ts';
import { prepareEpilogue, prepareSelect } from './prepare.ts';
import { type Database, run } from './run.ts';
import { readSchema } from './schema.ts';
import { Session } from './session.ts';
import { Types } from './types.ts';
import { Wire } from './wire.ts';

export interface PostgresSettings extends NetworkSettings {
  /** Whether concurrent runs of quick statements may share a connection. */
  readonly pipelinedBatches: boolean;
}

/** Opens without connecting: the first run connects. */
export function openPostgres(settings: PostgresSettings, { context, writable }: OpenRequest): Connector {
  const pool = sessionPool(() => connect(settings), context.connections);
  const types = new Types();
  const pipeline = settings.pipelinedBatches ? createPipeline(pool, types) : undefined;
  const database: Database = { pool, types, pipeline, writable };
  return {
    async describe(sql, parameters, signal) {
      const rendered = renderParameters(sql, parameters.map(bindNull));
      const work = pool.use(signal, (session) => {
        session.forget(rendered.key.select); // the tables may have changed
        return prepareSelect(session, database.types, rendered);
      });
      return (await work).columns;
    },
    async checkEpilogue(sql, parameters, signal) {
      requireWritable(database);
      const rendered = renderParameters(sql, parameters.map(bindNull));
      await pool.use(signal, (session) => {
        session.forget(rendered.key.epilogue);
        return prepareEpilogue(session, database.types, rendered);
      });
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

/** Connects and logs in with the driver, then uses its socket directly. Throws ConnectorError `unavailable`. */
export async function connect(settings: NetworkSettings): Promise<Session> {
  const { host, port, user, password, database, connectTimeoutMs } = settings;
  const client = new pg.Client({
    host,
    port,
    user,
    password: () => password, // the driver would replace an empty string by an environment variable
    database,
    ssl: tlsOptions(settings),
    options: options.map(([name, value]) => `-c ${name}=${value}`).join(' '),
    application_name: 'sluice',
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  client.on('error', () => {}); // Wire reports the loss
  const driver = client as unknown as DriverClient;
  try {
    await client.connect();
  } catch (error) {
    driver.connection.stream.destroy();
    throw engineError('unavailable', error);
  }
  const wire = new Wire(driver.connection.stream);
  const cancel = () => sendCancel(settings, driver.processID, driver.secretKey);
  const session = new Session(wire, cancel);
  try {
    await session.setUp();
    return session;
  } catch (error) {
    wire.destroy();
    throw engineError('unavailable', error);
  }
}

/** Fields that the driver does not declare. */
interface DriverClient {
  readonly connection: DriverConnection;
  readonly processID: number;
  readonly secretKey: number;
}
interface DriverConnection {
  readonly stream: Duplex;
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
  on(event: string, listener: () => void): void;
}

const options: readonly (readonly [string, string])[] = [
  ['default_transaction_read_only', 'on'],
  ['lock_timeout', '5s'],
  ['idle_in_transaction_session_timeout', '60s'],
  ['client_encoding', 'UTF8'],
  ['standard_conforming_strings', 'on'], // our tokenizer assumes it
  ['TimeZone', 'UTC'],
  ['DateStyle', 'ISO'],
  ['IntervalStyle', 'postgres'],
  ['bytea_output', 'hex'],
  ['extra_float_digits', '3'],
];

function tlsOptions({ tls }: NetworkSettings): false | ConnectionOptions {
  if (tls === false || tls.servername === undefined) return tls;
  const { servername } = tls;
  // the driver checks for the host name, whatever is set
  return { ...tls, checkServerIdentity: (_host, certificate) => checkServerIdentity(servername, certificate) };
}

const cancelMs = 2000;

/** Sends a cancel request. Resolves when the server has received it, or cannot be reached. */
function sendCancel(settings: NetworkSettings, processID: number, secretKey: number): Promise<void> {
  return new Promise((resolve) => {
    const ssl = tlsOptions(settings);
    const connection = new pg.Connection({ ssl }) as unknown as DriverConnection;
    const timer = setTimeout(() => connection.stream.destroy(), cancelMs);
    const send = (): void => connection.cancel(processID, secretKey);
    connection.on('connect', () => (ssl === false ? send() : connection.requestSsl()));
    connection.on('sslconnect', send);
    connection.on('error', () => connection.stream.destroy());
    connection.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
    connection.connect(settings.port, settings.host);
  });
}

/** Privileges of the account beyond reading, for the user who tests the connection. */
export async function accountWarnings(session: Session, writable: boolean): Promise<string[]> {
  const [row] = await session.rows(rights);
  const [superuser, writesTables, creates, reachesServer] = (row ?? []).map((cell) => cell === 't');
  const warnings: string[] = [];
  if (superuser) {
    warnings.push(
      'The account is a superuser, whom a read-only transaction does not keep from files and programs of the server.',
    );
  } else {
    if (writesTables)
      warnings.push('The account can change rows. Queries run read-only, but a least-privilege account is safer.');
    if (creates) warnings.push('The account can create objects.');
    if (reachesServer) warnings.push('The account can reach files or programs of the server.');
  }
  if (writable) warnings.push('The connection is marked writable: an Epilogue can change its data.');
  return warnings;
}

const rights = `
  SELECT r.rolsuper,
    EXISTS (
      SELECT FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
        AND (pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
          OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE'))
    ),
    pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') OR EXISTS (
      SELECT FROM pg_catalog.pg_namespace n
      WHERE n.nspname !~ '^pg_' AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')
    ),
    EXISTS (
      SELECT FROM pg_catalog.pg_roles p
      WHERE p.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
        AND pg_catalog.pg_has_role(p.oid, 'MEMBER')
    )
  FROM pg_catalog.pg_roles r
  WHERE r.rolname = current_user`;
