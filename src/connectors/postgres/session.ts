import { randomInt } from 'node:crypto';
import { settleWithin } from '../runs/run-deadline.ts';
import type { Prepared } from './cells.ts';
import { Messages } from './messages.ts';
import type { Reply, RowSink, Wire } from './wire.ts';

const keptStatements = 100;
const settleMs = 2000;
const cancelEveryMs = 200; // a cancel request before the start of the statement has no effect

/** Internal statements that every run needs: prepared once per connection. */
export const own = {
  beginReadOnly: { name: 'sluice_begin_read_only', sql: 'BEGIN READ ONLY' },
  beginReadWrite: { name: 'sluice_begin', sql: 'BEGIN READ WRITE' },
  savepoint: { name: 'sluice_savepoint', sql: 'SAVEPOINT sluice' },
  readOnly: { name: 'sluice_read_only', sql: 'SET TRANSACTION READ ONLY' },
  rollbackToSavepoint: { name: 'sluice_rollback_to', sql: 'ROLLBACK TO SAVEPOINT sluice' },
  rollback: { name: 'sluice_rollback', sql: 'ROLLBACK' },
  rollbackAndBegin: { name: 'sluice_rollback_and_begin', sql: 'ROLLBACK AND CHAIN' }, // begins a transaction with the same characteristics
  bound: { name: 'sluice_bound', sql: "SELECT pg_catalog.set_config('statement_timeout', $1, false)" },
};

/** Otherwise a query continues after the service has exited. */
const noticeGoneClients = "SET client_connection_check_interval = '1s'";

/** One connection, with the statements prepared on it. */
export class Session {
  readonly wire: Wire;
  /** Must not be reused: a late cancel request could hit the next statement, or the prepared statements were replaced. */
  isUnusable = false;
  /** Needs a rollback with the thorough cleaner before it is used again. */
  suspect = false;
  readonly #sendCancel: () => Promise<void>;
  readonly #statements = new Map<string, { readonly prepared: Prepared; lastUse: number }>();
  #uses = 0;
  #names = 0;
  #timeoutMs: number | undefined;
  #cleaner: string = cleaners.thorough;

  constructor(wire: Wire, sendCancel: () => Promise<void>) {
    this.wire = wire;
    this.#sendCancel = sendCancel;
  }

  set onLost(listener: () => void) {
    this.wire.onLost = listener;
  }

  end(): void {
    this.wire.end();
  }

  destroy(): void {
    this.wire.destroy();
  }

  get usable(): boolean {
    return !this.isUnusable && !this.wire.lost && this.wire.status === 'I';
  }

  /** Prepares a new connection. */
  async setUp(): Promise<void> {
    const [[hasOthers] = []] = await this.rows(otherLanguages);
    if (hasOthers === 'f') this.#cleaner = cleaners.quick;
    await this.#prepareOwn();
  }

  /** Runs an internal statement. */
  async rows(sql: string, values: readonly string[] = []): Promise<Reply['rows']> {
    const types = values.map(() => 25);
    const messages = new Messages().parse('', sql, types).bind('', values).execute();
    const reply = this.wire.exchange(messages.take());
    const putBack = new Messages().parse('', this.#cleaner, cleanerTypes); // the cleaner is the unnamed statement
    this.wire.exchange(putBack.take()).catch(() => {
      this.isUnusable = true;
    });
    return (await reply).rows;
  }

  /** Sets the time limit of the server, which applies if the service has exited. That of the run is shorter. */
  limitStatements(timeoutMs: number): void {
    if (timeoutMs === this.#timeoutMs) return;
    this.#timeoutMs = timeoutMs;
    const messages = new Messages().bind(own.bound.name, [String(Math.ceil(timeoutMs))]).execute();
    this.wire.exchange(messages.take()).catch(() => {
      this.#timeoutMs = undefined;
    });
  }

  nextName(): string {
    return `sluice_${++this.#names}`;
  }

  findPrepared(key: string): Prepared | undefined {
    const found = this.#statements.get(key);
    if (found === undefined) return undefined;
    found.lastUse = ++this.#uses;
    return found.prepared;
  }

  keep(key: string, prepared: Prepared): void {
    this.#statements.set(key, { prepared, lastUse: ++this.#uses });
    if (this.#statements.size <= keptStatements) return;
    const [leastUsed] = [...this.#statements].sort(([, a], [, b]) => a.lastUse - b.lastUse);
    if (leastUsed !== undefined) this.forget(leastUsed[0]);
  }

  forget(key: string): void {
    const found = this.#statements.get(key);
    if (found === undefined) return;
    this.#statements.delete(key);
    this.drop(found.prepared.name);
  }

  drop(statement: string): void {
    this.wire.exchange(new Messages().close(statement).take()).catch(() => {});
  }

  /** Ends the transaction, if there is one, and the session state that a rollback keeps. */
  async rollBack(): Promise<void> {
    do {
      this.suspect = false;
      const messages = new Messages().bind(own.rollback.name).execute().parse('', this.#cleaner, cleanerTypes);
      await this.wire.exchange(clean(messages).take(), this.#reports);
    } while (this.suspect);
  }

  /** The same after a failed run. Destroys the session on failure. */
  async reset(): Promise<void> {
    if (!this.wire.lost) await settleWithin(settleMs, this.rollBack()).catch(() => this.wire.destroy());
  }

  /** An internal statement returned a row: the prepared statements may have been replaced. */
  report(): void {
    if (this.#cleaner === cleaners.thorough) this.isUnusable = true;
    else this.suspect = true;
    this.#cleaner = cleaners.thorough;
  }

  /** Resets all session state after an Epilogue, also what a commit keeps. Destroys the session on failure. */
  async discard(): Promise<void> {
    if (!this.usable) return;
    this.suspect = false;
    this.#statements.clear();
    this.#timeoutMs = undefined;
    const discarded = this.wire.exchange(new Messages().statement('DISCARD ALL').take());
    await settleWithin(settleMs, Promise.all([discarded, this.#prepareOwn()])).catch(() => this.wire.destroy());
  }

  /** Cancels the running statement until it ends, then destroys the connection. */
  async cancel(running: Promise<unknown>): Promise<void> {
    this.isUnusable = true;
    // The server fails to send its next rows and ends the statement. To read all that is in flight would take longer.
    if (this.wire.isPaused) return this.wire.destroy();
    const repeating = setInterval(() => void this.#sendCancel(), cancelEveryMs);
    try {
      await Promise.all([this.#sendCancel(), settleWithin(settleMs, running)]).catch(() => {});
    } finally {
      clearInterval(repeating);
      this.wire.destroy();
    }
  }

  readonly #reports: RowSink = {
    take: () => {
      this.report();
      return true;
    },
  };

  async #prepareOwn(): Promise<void> {
    this.wire.exchange(new Messages().statement(noticeGoneClients).take()).catch(() => {}); // unknown before PostgreSQL 14
    const messages = new Messages();
    for (const { name, sql } of Object.values(own)) messages.parse(name, sql);
    await this.wire.exchange(clean(messages.parse('', this.#cleaner, cleanerTypes)).take());
  }
}

/**
 * A rollback reverts settings, roles and objects. It keeps session-level advisory locks, the random seed, and prepared statements: a function
 * may have replaced ours, so that later callers would get its rows. The cleaner resets the first two, and returns a row where the third may
 * have happened. It is the unnamed statement of a session, which SQL can neither see nor replace.
 *
 * Searching the prepared statements costs more than a small query. `quick` therefore only reports whether PL/pgSQL is loaded, which its settings
 * show: without it no function could have prepared a statement (SQL functions cannot). After that, `thorough` reports statements that SQL has
 * prepared; ours are prepared by the protocol.
 */
const cleanerWith = (suspicion: string): string =>
  `SELECT WHERE pg_catalog.pg_advisory_unlock_all() IS NULL OR pg_catalog.setseed($1) IS NULL OR ${suspicion}`;

const cleaners = {
  quick: cleanerWith("pg_catalog.current_setting('plpgsql.extra_errors', true) IS NOT NULL"),
  thorough: cleanerWith('EXISTS (SELECT FROM pg_catalog.pg_prepared_statement() WHERE from_sql)'),
} as const;

const cleanerTypes: readonly number[] = [701]; // double precision

/** Appends the execution of the cleaner. */
export const clean = (messages: Messages): Messages => messages.bind('', [seed()]).execute();

/** Whether there are procedural languages whose use cannot be detected: then every run is followed by the thorough cleaner. */
const otherLanguages = `
  SELECT EXISTS (SELECT FROM pg_catalog.pg_language WHERE lanname NOT IN ('internal', 'c', 'sql', 'plpgsql'))`;

/** Every run gets a new random seed. Digits of a small integer: to write a random double takes longer than to draw it. */
const seed = (): string => `0.${randomInt(2 ** 31)}`;
