import { connect as connectSocket, type Socket } from 'node:net';
import { type Connection, createConnection, type SslOptions } from 'mysql2';
import type { NetworkSettings, TlsSettings } from '../network/network-engine.ts';

/** A connection that has logged in, and its socket. */
export interface Link {
  readonly connection: Connection;
  /** To destroy the connection: the driver only sends COM_QUIT, which a server that is sending rows does not read. */
  readonly socket: Socket;
}

/** Throws what the driver throws. */
export async function connect(settings: NetworkSettings): Promise<Link> {
  const { host, port, user, password, database, tls, connectTimeoutMs } = settings;
  const socket = connectSocket({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
  const connection = createConnection({
    stream: () => socket,
    host: tls === false ? host : (tls.servername ?? host), // the certificate is checked for this name
    user,
    password,
    database,
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: connectTimeoutMs,
    multipleStatements: false,
    maxPreparedStatements: 40, // more than a session keeps; the driver clears this many entries on every reset
    // the server must not read our files; the other flags change the meaning of statements
    flags: ['-LOCAL_FILES', '-FOUND_ROWS', '-IGNORE_SPACE', '-ODBC', '-MULTI_RESULTS'],
    disableEval: true,
    connectAttributes: { program_name: 'sluice' },
    ...(tls === false ? {} : { ssl: sslOptions(tls) }),
  });
  connection.on('error', () => {}); // pending commands get the error; the loss of an idle connection is reported by its socket
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

const responseMs = 2000;
const noSuchThread = 1094;

/**
 * Kills connections from another one, which is open while there are kills to send. It kills the whole connection, not only its
 * query: a KILL QUERY that arrives late would hit the next query.
 */
export class Killer {
  readonly #settings: NetworkSettings;
  #link: Promise<Link> | undefined;
  #pending = 0;

  constructor(settings: NetworkSettings) {
    this.#settings = settings;
  }

  /** Resolves when the server has confirmed the KILL, or cannot be reached: then its own time limit ends the query. */
  async kill(threadId: number): Promise<void> {
    this.#pending++;
    this.#link ??= connect(this.#settings);
    const link = this.#link;
    try {
      await send(await link, threadId);
    } catch {
      if (this.#link === link) this.#link = undefined;
      link.then(({ socket }) => socket.destroy()).catch(() => {});
    } finally {
      this.#pending--;
      if (this.#pending === 0) this.#end();
    }
  }

  #end(): void {
    this.#link?.then(({ connection }) => connection.end()).catch(() => {});
    this.#link = undefined;
  }
}

function send({ connection }: Link, threadId: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The server does not respond.')), responseMs);
    connection.query(`KILL ${threadId}`, (error) => {
      clearTimeout(timer);
      if (error === null || error.errno === noSuchThread) resolve();
      else reject(error);
    });
  });
}
