import { connect as connectSocket, type Socket } from 'node:net';
import { type Connection, createConnection, type SslOptions } from 'mysql2';
import type { TlsSettings } from '../network-settings.ts';
import type { MysqlSettings } from './settings.ts';

/** A connection that has logged in, and its socket. */
export interface Link {
  readonly connection: Connection;
  /** Ours to destroy: the driver only says goodbye, which a server that is busy sending does not hear. */
  readonly socket: Socket;
}

/** Throws what the driver throws. */
export async function connect(settings: MysqlSettings): Promise<Link> {
  const { host, port, user, password, database, tls, connectTimeoutMs } = settings;
  const socket = connectSocket({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
  const connection = createConnection({
    stream: () => socket,
    host: tls === false ? host : (tls.servername ?? host), // the name that the certificate is checked for
    user,
    password,
    database,
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: connectTimeoutMs,
    multipleStatements: false,
    maxPreparedStatements: 8, // a run has two at most; the driver clears as many places with every reset
    // no files of ours for the server; the other three change what statements mean
    flags: ['-LOCAL_FILES', '-FOUND_ROWS', '-IGNORE_SPACE', '-ODBC', '-MULTI_RESULTS'],
    disableEval: true,
    connectAttributes: { program_name: 'sluice' },
    ...(tls === false ? {} : { ssl: sslOptions(tls) }),
  });
  connection.on('error', () => {}); // whoever waits is told; an idle connection is noticed by its socket
  try {
    await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
    return { connection, socket };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function sslOptions({ ca, rejectUnauthorized = true }: TlsSettings): SslOptions {
  return { rejectUnauthorized, verifyIdentity: rejectUnauthorized, ...(ca === undefined ? {} : { ca }) };
}
