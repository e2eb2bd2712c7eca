import type { Socket } from 'node:net';
import type { Connection } from 'mysql2';
import { serverGraceMs } from '../runs/run-deadline.ts';
import type { Killer, Link } from './connect.ts';
import type { BindValue, PreparedStatement } from './driver.ts';
import { ResultRows } from './result-rows.ts';

const cleanMs = 2000;
const keptMs = 250; // for which a transaction stays open; changes to the definition of its tables wait as long
const slowSearchMs = 50; // with very many tables
const mostPrepared = 32;

/** See `viewSearchOf`. */
export interface PlainStatement {
  readonly sql: string;
  readonly viewSearch: string;
}

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
  readonly #prepared = new Map<string, PreparedStatement>(); // since the reset, by their text
  readonly #confirmed = new Set<string>(); // of these, the plain ones, while their tables are locked
  #endedAt = 0; // the latest run
  #isKept = false; // a read-only transaction for plain statements is open
  #keptAt = 0; // when it began
  #expiry: NodeJS.Timeout | undefined;
  #isRunning = false;
  #expiring: Promise<void> | undefined;
  #canSearch = true; // for views, quickly
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

  /** Begins a run. Returns undefined where the transaction that is open serves it, too. */
  begin(mode: 'READ ONLY' | 'READ WRITE', timeoutMs: number, isPlain: boolean): Promise<void> | undefined {
    this.runs++;
    this.#isRunning = true;
    const boundMs = Math.ceil(timeoutMs) + serverGraceMs;
    if (isPlain && this.#isKept && this.#expiring === undefined && boundMs === this.#boundMs) return undefined;
    return this.#openTransaction(mode, boundMs, isPlain);
  }

  /** A statement that is not plain begins after a reset. */
  async #openTransaction(mode: 'READ ONLY' | 'READ WRITE', boundMs: number, isPlain: boolean): Promise<void> {
    await this.#expiring;
    if (!isPlain || !this.#isKept) {
      if (this.#prepared.size > 0) await this.#settle(() => this.#reset());
      this.#isKept = false;
    }
    if (boundMs !== this.#boundMs) {
      this.#boundMs = boundMs;
      await this.rows(`SET SESSION ${this.#timeLimit()}`);
    }
    if (!this.#isKept) await this.rows(`START TRANSACTION ${mode}`);
  }

  /** Runs an internal statement. */
  rows(sql: string): Promise<unknown[][]> {
    return this.#command((done) => {
      this.#connection.query({ sql, rowsAsArray: true }, (error, rows) => {
        done(error, Array.isArray(rows) ? (rows as unknown[][]) : []);
      });
    });
  }

  /** A statement that was prepared since the reset. */
  findPrepared(sql: string): PreparedStatement | undefined {
    return this.#prepared.get(sql);
  }

  async prepare(sql: string): Promise<PreparedStatement> {
    const statement = await this.#command<PreparedStatement>((done) => {
      this.#connection.prepare(sql, (error, prepared) => {
        // the reset closes it on the server: the driver must not send a command for that
        if (!error) prepared.close = () => {};
        done(error, prepared as unknown as PreparedStatement);
      });
    });
    this.#prepared.set(sql, statement);
    return statement;
  }

  execute(statement: PreparedStatement, values: readonly BindValue[]): ResultRows {
    const result = new ResultRows(statement.execute(values), this.#connection);
    this.#result = result;
    if (this.#lost) result.fail(new LostConnectionError());
    return result;
  }

  /**
   * Ends the run: a connection that still works is killed; otherwise the state of the session is reset. After plain statements in quick
   * succession, their transaction stays open for a moment: it has nothing to undo, and nobody can make a view of a table that it has read.
   */
  async endRun(plain?: PlainStatement): Promise<void> {
    if (this.#lost) return;
    const isWorking = this.#waiting.size > 0 || this.#result?.isOver === false;
    this.#result = undefined;
    if (isWorking) return this.cancel();
    const isBusy = performance.now() - this.#endedAt < keptMs;
    this.#endedAt = performance.now();
    const mayStay = plain !== undefined && this.#confirmed.has(plain.sql) && !this.#isOld;
    if (!mayStay) await this.#settle(() => this.#leave(plain, isBusy));
    this.#isRunning = false;
  }

  /** Leaves nothing of a run to the next one. */
  async #leave(plain: PlainStatement | undefined, isBusy: boolean): Promise<void> {
    if (plain !== undefined && this.#isKept && (await this.#isPlain(plain)))
      return this.#isOld ? this.#renewTransaction() : undefined;
    await this.#reset();
    if (plain !== undefined && isBusy && this.#canSearch) await this.#keepTransaction();
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

  /** Looks for views in the transaction of the statement. */
  async #isPlain({ sql, viewSearch }: PlainStatement): Promise<boolean> {
    if (this.#confirmed.has(sql)) return true;
    if (this.#prepared.size > mostPrepared) return false;
    const startedAt = performance.now();
    const views = await this.rows(viewSearch);
    this.#canSearch = performance.now() - startedAt < slowSearchMs;
    if (views.length === 0) this.#confirmed.add(sql);
    return views.length === 0;
  }

  /** Opens a transaction for several plain statements. Each one reads what is committed when it begins. */
  async #keepTransaction(): Promise<void> {
    await this.rows('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await this.rows('START TRANSACTION READ ONLY');
    this.#isKept = true;
    this.#keptAt = performance.now();
    this.#expiry = setTimeout(() => this.#expire(), keptMs).unref();
  }

  /** Releases the locks of an old one. Only plain statements have run in it, so there is nothing to reset, but tables may become views. */
  async #renewTransaction(): Promise<void> {
    this.#confirmed.clear();
    await this.rows('ROLLBACK AND CHAIN'); // the same isolation, and read-only
    this.#keptAt = performance.now();
    this.#expiry?.refresh();
  }

  get #isOld(): boolean {
    return performance.now() - this.#keptAt >= keptMs;
  }

  #expire(): void {
    if (this.#isRunning) this.#expiry?.refresh();
    if (this.#isRunning || this.#lost || !this.#isKept) return;
    this.#expiring = this.#settle(() => this.#reset()).finally(() => {
      this.#expiring = undefined;
    });
  }

  /** Ends the transaction, releases locks, drops variables, prepared statements and temporary tables, and applies our settings again. */
  async #reset(): Promise<void> {
    this.#isKept = false;
    this.#prepared.clear();
    this.#confirmed.clear();
    clearTimeout(this.#expiry);
    await this.#command<void>((done) => this.#connection.reset((error) => done(error)));
    await this.rows(this.#settings());
  }

  /** Destroys the connection if the work fails or takes long. */
  async #settle(work: () => Promise<void>): Promise<void> {
    const timer = setTimeout(() => this.#socket.destroy(), cleanMs);
    try {
      await work();
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
      // A reset keeps a role that a function has set: then the server refuses this time zone, and the session is closed. It keeps the
      // count of FOUND_ROWS, too: a subquery of one row sets that to 1, as in a new session.
      `time_zone = (SELECT IF(${this.#server?.sameRole ?? 'TRUE'}, '+00:00', 'of another role') FROM (SELECT 1) AS one)`,
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
