import { Messages } from './messages.ts';
import type { Prepared } from './prepared.ts';
import type { Reply, Wire } from './wire.ts';

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
  commit: 'sluice_commit',
  rollback: 'sluice_rollback',
  rollbackAndBegin: 'sluice_rollback_and_begin',
  unlock: 'sluice_unlock',
} as const;

const ownSql: Readonly<Record<keyof typeof own, string>> = {
  beginReadOnly: 'BEGIN READ ONLY',
  beginReadWrite: 'BEGIN READ WRITE',
  savepoint: 'SAVEPOINT sluice',
  readOnly: 'SET TRANSACTION READ ONLY',
  rollbackToSavepoint: 'ROLLBACK TO SAVEPOINT sluice',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  rollbackAndBegin: 'ROLLBACK AND CHAIN', // another transaction of the same kind
  unlock: 'SELECT pg_catalog.pg_advisory_unlock_all()', // the one thing that a rollback leaves
};

/** One connection, with the statements prepared on it. */
export class Session {
  readonly wire: Wire;
  idleSince = 0;
  /** It was cancelled: the cancel may still be under way, and must not hit what runs next. */
  spoilt = false;
  readonly #sendCancel: () => Promise<void>;
  readonly #statements = new Map<string, { readonly prepared: Prepared; lastUse: number }>();
  #uses = 0;
  #names = 0;
  #timeoutMs: number | undefined;

  constructor(wire: Wire, sendCancel: () => Promise<void>) {
    this.wire = wire;
    this.#sendCancel = sendCancel;
  }

  get lost(): boolean {
    return this.wire.lost;
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

  async prepareOwn(): Promise<void> {
    const messages = new Messages();
    for (const [key, sql] of Object.entries(ownSql)) messages.parse(own[key as keyof typeof own], sql);
    await this.wire.exchange(messages.take());
  }

  /** Rows of a statement of ours. */
  async rows(sql: string, values: readonly string[] = []): Promise<Reply['rows']> {
    const types = values.map(() => 25);
    return (await this.wire.exchange(new Messages().parse('', sql, types).bind('', values).execute().take())).rows;
  }

  /** The server's own bound on statements; ours comes first, this one is for when we are gone. */
  boundStatements(timeoutMs: number): void {
    if (timeoutMs === this.#timeoutMs) return;
    this.#timeoutMs = timeoutMs;
    this.wire.exchange(new Messages().statement(`SET statement_timeout = ${Math.ceil(timeoutMs)}`).take()).catch(() => {
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

  /** Leaves nothing of a run behind: no transaction, no locks. A session that cannot is destroyed. */
  async reset(): Promise<void> {
    if (this.wire.status === 'I' || this.wire.lost) return;
    const messages = new Messages().bind(own.rollback).execute().bind(own.unlock).execute();
    await withTimeout(this.wire.exchange(messages.take())).catch(() => this.wire.destroy());
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
