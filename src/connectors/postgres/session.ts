import { clean, cleaners, cleanerTypes, otherLanguages } from './cleaner.ts';
import { Messages } from './messages.ts';
import type { Prepared } from './prepared.ts';
import type { Reply, RowSink, Wire } from './wire.ts';

const keptStatements = 100;
const settleMs = 2000;
const cancelEveryMs = 200; // one that comes before its statement is lost

/** How much longer than a query the server waits for a reader who pauses. */
export const patienceMs = 15 * 60_000;

/** Statements of ours that every run needs: prepared once, so that they only have to be bound. */
export const own = {
  beginReadOnly: 'sluice_begin_read_only',
  beginReadWrite: 'sluice_begin',
  savepoint: 'sluice_savepoint',
  readOnly: 'sluice_read_only',
  rollbackToSavepoint: 'sluice_rollback_to',
  rollback: 'sluice_rollback',
  rollbackAndBegin: 'sluice_rollback_and_begin',
  bound: 'sluice_bound',
} as const;

const ownSql: Readonly<Record<keyof typeof own, string>> = {
  beginReadOnly: 'BEGIN READ ONLY',
  beginReadWrite: 'BEGIN READ WRITE',
  savepoint: 'SAVEPOINT sluice',
  readOnly: 'SET TRANSACTION READ ONLY',
  rollbackToSavepoint: 'ROLLBACK TO SAVEPOINT sluice',
  rollback: 'ROLLBACK',
  rollbackAndBegin: 'ROLLBACK AND CHAIN', // another transaction of the same kind
  bound: "SELECT pg_catalog.set_config('statement_timeout', $1, false)",
};

/** Without it a query goes on when we are gone. */
const noticeGoneClients = "SET client_connection_check_interval = '1s'";

/** One connection, with the statements prepared on it. */
export class Session {
  readonly wire: Wire;
  /** Not to be used again: a cancel may still be under way and must not hit what runs next, or its statements are not ours. */
  spoilt = false;
  /** To be rolled back, by the thorough cleaner, before it is used again. */
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

  set onLost(told: () => void) {
    this.wire.onLost = told;
  }

  end(): void {
    this.wire.end();
  }

  destroy(): void {
    this.wire.destroy();
  }

  get usable(): boolean {
    return !this.spoilt && !this.wire.lost && this.wire.status === 'I';
  }

  /** What a new connection needs. */
  async setUp(): Promise<void> {
    const [[hasOthers] = []] = await this.rows(otherLanguages);
    if (hasOthers === 'f') this.#cleaner = cleaners.quick;
    await this.#prepareOwn();
  }

  /** Rows of a statement of ours. */
  async rows(sql: string, values: readonly string[] = []): Promise<Reply['rows']> {
    const types = values.map(() => 25);
    const messages = new Messages().parse('', sql, types).bind('', values).execute();
    const reply = this.wire.exchange(messages.take());
    const putBack = new Messages().parse('', this.#cleaner, cleanerTypes); // in the place of the unnamed statement
    this.wire.exchange(putBack.take()).catch(() => {
      this.spoilt = true;
    });
    return (await reply).rows;
  }

  /** The server's own bound on statements; ours comes first, this one is for when we are gone. */
  boundStatements(timeoutMs: number): void {
    if (timeoutMs === this.#timeoutMs) return;
    this.#timeoutMs = timeoutMs;
    const messages = new Messages().bind(own.bound, [String(Math.ceil(timeoutMs))]).execute();
    this.wire.exchange(messages.take()).catch(() => {
      this.#timeoutMs = undefined;
    });
  }

  nextName(): string {
    return `sluice_${++this.#names}`;
  }

  prepared(key: string): Prepared | undefined {
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

  /** Ends the transaction, if there is one, and removes what a rollback leaves. */
  async rollBack(): Promise<void> {
    do {
      this.suspect = false;
      const messages = new Messages().bind(own.rollback).execute().parse('', this.#cleaner, cleanerTypes);
      await this.wire.exchange(clean(messages).take(), this.#reports);
    } while (this.suspect);
  }

  /** The same after a run that failed. A session that cannot is destroyed. */
  async reset(): Promise<void> {
    if (!this.wire.lost) await withTimeout(this.rollBack()).catch(() => this.wire.destroy());
  }

  /** A row of the cleaner, or of another statement of ours that has none: what is prepared may not be ours any more. */
  report(): void {
    if (this.#cleaner === cleaners.thorough) this.spoilt = true;
    else this.suspect = true;
    this.#cleaner = cleaners.thorough;
  }

  /** Makes it as new after an Epilogue: what a commit keeps in the session goes, too. A session that cannot is destroyed. */
  async discard(): Promise<void> {
    if (!this.usable) return;
    this.suspect = false;
    this.#statements.clear();
    this.#timeoutMs = undefined;
    const discarded = this.wire.exchange(new Messages().statement('DISCARD ALL').take());
    await withTimeout(Promise.all([discarded, this.#prepareOwn()])).catch(() => this.wire.destroy());
  }

  /** Cancels what runs until it ends, then ends the connection too. */
  async cancel(running: Promise<unknown>): Promise<void> {
    this.spoilt = true;
    this.wire.resume();
    const repeating = setInterval(() => void this.#sendCancel(), cancelEveryMs);
    try {
      await Promise.all([this.#sendCancel(), withTimeout(running)]).catch(() => {});
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
    this.wire.exchange(new Messages().statement(noticeGoneClients).take()).catch(() => {}); // before PostgreSQL 14 it is unknown
    const messages = new Messages();
    for (const [key, sql] of Object.entries(ownSql)) messages.parse(own[key as keyof typeof own], sql);
    await this.wire.exchange(clean(messages.parse('', this.#cleaner, cleanerTypes)).take());
  }
}

async function withTimeout(work: Promise<unknown>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The database did not end it in time.')), settleMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
