import type { Socket } from 'node:net';
import type { Connection } from 'mysql2';
import { serverGraceMs } from '../runs/run-deadline.ts';
import type { Killer, Link } from './connect.ts';
import type { BindValue, PreparedStatement } from './driver.ts';
import { ResultRows } from './result-rows.ts';

const cleanMs = 2000;

/** One connection, with the settings that every run expects. */
export class Session {
  /** How many runs have used it. */
  runs = 0;
  onLost: () => void = () => {};

  readonly #connection: Connection;
  readonly #socket: Socket;
  readonly #killer: Killer;
  readonly #waiting = new Set<(error: Error) => void>(); // commands
  #result: ResultRows | undefined; // the latest
  #server: { readonly mariadb: boolean; readonly sqlMode: string; readonly sameRole: string } | undefined;
  #boundMs = 0;
  #lost = false;

  constructor({ connection, socket }: Link, killer: Killer) {
    this.#connection = connection;
    this.#socket = socket;
    this.#killer = killer;
    let reason: unknown;
    connection.on('error', (error) => {
      reason = error;
    });
    socket.once('close', () => {
      this.#lost = true;
      for (const reject of [...this.#waiting]) reject(new LostConnectionError(reason));
      this.#result?.fail(new LostConnectionError(reason));
      this.onLost();
    });
    if (socket.destroyed) this.#lost = true;
  }

  get usable(): boolean {
    return !this.#lost;
  }

  get mariadb(): boolean {
    return this.#server?.mariadb === true;
  }

  async setUp(): Promise<void> {
    const [[version, sqlMode] = []] = await this.rows('SELECT VERSION(), @@SESSION.sql_mode');
    const modes = String(sqlMode).split(',');
    const [[role] = []] = await this.rows('SELECT HEX(CURRENT_ROLE())').catch(() => [[undefined]]); // MySQL 5.7 has no roles
    this.#server = {
      mariadb: String(version).includes('MariaDB'),
      sqlMode: modes.filter((mode) => /^\w+$/.test(mode) && !modesThatChangeWords.has(mode)).join(','),
      sameRole: role === undefined ? 'TRUE' : `HEX(CURRENT_ROLE()) <=> ${role === null ? 'NULL' : `'${String(role)}'`}`,
    };
    await this.rows(this.#settings());
  }

  /** Opens the transaction of a run. */
  async begin(mode: 'READ ONLY' | 'READ WRITE', timeoutMs: number): Promise<void> {
    this.runs++;
    const boundMs = Math.ceil(timeoutMs) + serverGraceMs;
    if (boundMs !== this.#boundMs) {
      this.#boundMs = boundMs;
      await this.rows(`SET SESSION ${this.#timeLimit()}`);
    }
    await this.rows(`START TRANSACTION ${mode}`);
  }

  /** Runs an internal statement. */
  rows(sql: string): Promise<unknown[][]> {
    return this.#command((done) => {
      this.#connection.query({ sql, rowsAsArray: true }, (error, rows) => {
        done(error, Array.isArray(rows) ? (rows as unknown[][]) : []);
      });
    });
  }

  prepare(sql: string): Promise<PreparedStatement> {
    return this.#command((done) => {
      this.#connection.prepare(sql, (error, statement) => {
        // the reset closes it on the server: the driver must not send a command for that
        if (!error) statement.close = () => {};
        done(error, statement as unknown as PreparedStatement);
      });
    });
  }

  execute(statement: PreparedStatement, values: readonly BindValue[]): ResultRows {
    const result = new ResultRows(statement.execute(values), this.#connection);
    this.#result = result;
    if (this.#lost) result.fail(new LostConnectionError());
    return result;
  }

  /** Ends the run: a connection that still works is killed; otherwise the state of the session is reset. */
  async endRun(): Promise<void> {
    if (this.#lost) return;
    const isWorking = this.#waiting.size > 0 || this.#result?.isOver === false;
    this.#result = undefined;
    if (isWorking) await this.cancel();
    else await this.#clean();
  }

  end(): void {
    this.#connection.end();
    this.#socket.setTimeout(cleanMs, () => this.#socket.destroy());
  }

  /** Kills the connection on the server. */
  async cancel(): Promise<void> {
    await this.#killer.kill(this.#connection.threadId);
    this.destroy();
  }

  destroy(): void {
    this.#lost = true; // the close event comes later; no run may get the connection before
    this.#socket.destroy();
  }

  /** Ends the transaction, releases locks, drops variables, prepared statements and temporary tables, and applies our settings again. */
  async #clean(): Promise<void> {
    const timer = setTimeout(() => this.#socket.destroy(), cleanMs);
    try {
      await this.#command<void>((done) => this.#connection.reset((error) => done(error)));
      await this.rows(this.#settings());
    } catch {
      this.destroy();
    } finally {
      clearTimeout(timer);
    }
  }

  #settings(): string {
    const readOnly = this.mariadb ? 'tx_read_only' : 'transaction_read_only';
    const variables = [
      `sql_mode = '${this.#server?.sqlMode ?? ''}'`,
      ...localVariables,
      // a reset keeps a role that a function has set: then the server refuses this time zone, and the session is closed
      `time_zone = IF(${this.#server?.sameRole ?? 'TRUE'}, '+00:00', 'of another role')`,
      `${readOnly} = 1`,
      ...(this.#boundMs > 0 ? [this.#timeLimit()] : []),
    ];
    return `SET NAMES utf8mb4, ${variables.map((variable) => `SESSION ${variable}`).join(', ')}`;
  }

  /** The time limit of the server, which applies if the service has exited. The deadline of the run is shorter. */
  #timeLimit(): string {
    if (this.mariadb) return `max_statement_time = ${this.#boundMs / 1000}`;
    return `max_execution_time = ${this.#boundMs}`;
  }

  #command<T>(start: (done: (error: Error | null, result: T) => void) => void): Promise<T> {
    if (this.#lost) return Promise.reject(new LostConnectionError());
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.add(reject);
    start((error, result) => {
      this.#waiting.delete(reject);
      if (error === null || error === undefined) resolve(result);
      else reject(error);
    });
    return promise;
  }
}

export class LostConnectionError extends Error {
  constructor(cause?: unknown) {
    super('The connection to the database was lost.', { cause });
    this.name = 'LostConnectionError';
  }
}

/** They change where strings and names end. ANSI and the modes after it imply ANSI_QUOTES. */
const modesThatChangeWords: ReadonlySet<string> = new Set([
  'NO_BACKSLASH_ESCAPES',
  'ANSI_QUOTES',
  'ANSI',
  'DB2',
  'MAXDB',
  'MSSQL',
  'ORACLE',
  'POSTGRESQL',
]);

const localVariables: readonly string[] = [
  'autocommit = 1',
  'completion_type = 0', // a COMMIT does not begin another transaction
  'sql_select_limit = DEFAULT',
  'lock_wait_timeout = 5',
  'innodb_lock_wait_timeout = 5',
  'net_write_timeout = 600', // for readers that pause
];
