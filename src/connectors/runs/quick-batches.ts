import { ActiveSet } from '../../core/concurrency/active-set.ts';
import type { RowStream } from '../../results/row-stream.ts';
import { RunDeadline } from './run-deadline.ts';
import type { RunPool } from './run-pool.ts';

const watchdogMs = 50;
const maxChecks = 2;
const quickBatchMs = 20;
const maxMembers = 16;

export interface QuickBatchesOptions<Item, Main> {
  readonly pool: RunPool<Item>;
  readonly quickMs: number; // a separate run that takes longer is not quick
  keyOf(main: Main): string;
  /** Runs the members on a connection or process. Resolves to the milliseconds that they took there, when it can be used again. */
  exchange(batch: QuickBatch<Main>, item: Item): Promise<number>;
}

/**
 * Sends statements that are known to be quick in batches: the runs of one turn of the event loop share a connection or process, one write and
 * mostly one read. That costs both sides a fraction of separate exchanges. A batch that fails or is late is abandoned, and its members run
 * separately.
 */
export class QuickBatches<Item, Main> {
  readonly quick: QuickStatements;
  readonly #options: QuickBatchesOptions<Item, Main>;
  readonly #sent = new ActiveSet<QuickBatch<Main>>();
  #gathering: QuickBatch<Main> | undefined; // members can join
  #watchdog: NodeJS.Timeout | undefined;

  constructor(options: QuickBatchesOptions<Item, Main>) {
    this.#options = options;
    this.quick = new QuickStatements(options.quickMs);
  }

  /** Undefined where the statement has to run separately. */
  join(main: Main, timeoutMs: number, signal: AbortSignal): Promise<MemberResult> | undefined {
    if (signal.aborted || !this.quick.has(this.#options.keyOf(main))) return undefined;
    if (this.#gathering === undefined || this.#gathering.isFull) this.#gathering = this.#gather();
    return this.#gathering.join(main, timeoutMs);
  }

  #gather(): QuickBatch<Main> {
    const batch = new QuickBatch<Main>();
    setImmediate(() => void this.#send(batch)); // after all runs of this event loop turn have joined
    return batch;
  }

  async #send(batch: QuickBatch<Main>): Promise<void> {
    const { pool } = this.#options;
    if (this.#gathering === batch) this.#gathering = undefined;
    this.#sent.add(batch);
    this.#watchdog ??= setInterval(() => this.#check(), watchdogMs).unref();
    const deadline = new RunDeadline(new AbortController().signal, batch.timeoutMs); // each member has its own signal
    deadline.onStop = () => batch.abandon();
    try {
      const item = await pool.acquire(deadline);
      if (!batch.isAbandoned) await this.#exchange(batch, item);
      pool.release(item, deadline);
    } catch {
      batch.abandon(); // there is no connection: the separate runs report why
    } finally {
      this.#sent.remove(batch);
    }
  }

  async #exchange(batch: QuickBatch<Main>, item: Item): Promise<void> {
    const distrust = (): void => {
      for (const { main } of batch.members) this.quick.distrust(this.#options.keyOf(main));
    };
    batch.onAbandon = distrust;
    const tookMs = await this.#options.exchange(batch, item);
    // they run one after the other: beyond this they are better off on separate connections
    if (tookMs > quickBatchMs + batch.members.length) distrust();
    batch.end();
  }

  /** Abandons batches that are late. */
  #check(): void {
    if (this.#sent.size === 0) {
      clearInterval(this.#watchdog);
      this.#watchdog = undefined;
    }
    for (const batch of this.#sent.list()) {
      if (++batch.checks <= maxChecks) continue;
      // not at once: where the event loop itself was blocked, the response may be there and unread
      setImmediate(() => this.#sent.has(batch) && batch.abandon());
    }
  }
}

const minRuns = 5;
const minRunsAfterBadBatch = 50;
const maxStatements = 1000;

/** The statements whose latest runs were all quick, with a result that arrived as a whole. */
class QuickStatements {
  readonly #quickMs: number;
  readonly #runs = new Map<string, number>(); // quick ones in a row; negative after a bad batch

  constructor(quickMs: number) {
    this.#quickMs = quickMs;
  }

  has(key: string): boolean {
    return this.#count(key) >= minRuns;
  }

  /** A separate run that returned its result as a whole. */
  recordRun(key: string, tookMs: number): void {
    if (tookMs > this.#quickMs) this.recordSlowRun(key);
    else this.#set(key, this.#count(key) + 1);
  }

  recordSlowRun(key: string): void {
    if (this.#count(key) > 0) this.#runs.delete(key);
  }

  /** Its batch was slow or abandoned: it has to be quick many times before it joins another. */
  distrust(key: string): void {
    this.#set(key, minRuns - minRunsAfterBadBatch);
  }

  #count(key: string): number {
    return this.#runs.get(key) ?? 0;
  }

  #set(key: string, count: number): void {
    if (this.#runs.size >= maxStatements && !this.#runs.has(key)) this.#runs.clear();
    this.#runs.set(key, count);
  }
}

/** The rows of a member; undefined: the statement has to run separately. */
export type MemberResult = RowStream | undefined;

export interface Member<Main> {
  readonly main: Main;
  readonly resolve: (result: MemberResult) => void; // only the first call counts
}

/** Statements that run together. Each that is not resolved with its rows runs separately, and gets its own error. */
export class QuickBatch<Main> {
  /** The longest of its members. */
  timeoutMs = 0;
  /** How often the watchdog has seen the batch. */
  checks = 0;
  readonly members: Member<Main>[] = [];
  isAbandoned = false;
  onAbandon: () => void = () => {};
  /** Stops the exchange. */
  stop: () => void = () => {};

  get isFull(): boolean {
    return this.members.length >= maxMembers;
  }

  join(main: Main, timeoutMs: number): Promise<MemberResult> {
    this.timeoutMs = Math.max(this.timeoutMs, timeoutMs);
    return new Promise((resolve) => this.members.push({ main, resolve }));
  }

  /** All members without rows run separately. */
  abandon(): void {
    if (this.isAbandoned) return;
    this.isAbandoned = true;
    this.onAbandon();
    this.#giveUp();
    this.stop();
  }

  /** The exchange is over. An old batch is collected late: it must not hold members until then. */
  end(): void {
    this.#giveUp();
    this.onAbandon = () => {};
    this.stop = () => {};
    this.members.length = 0;
  }

  #giveUp(): void {
    for (const { resolve } of this.members) resolve(undefined);
  }
}
