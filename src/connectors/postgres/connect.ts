import type { Duplex } from 'node:stream';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import pg from 'pg';
import type { NetworkSettings } from '../network/network-engine.ts';
import { engineError } from './engine-error.ts';
import { Session } from './session.ts';
import { Wire } from './wire.ts';

/** Connects and logs in with the driver, then takes over its socket. Throws ConnectorError `unavailable`. */
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
