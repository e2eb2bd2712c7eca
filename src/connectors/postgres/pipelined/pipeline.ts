import { ActiveSet } from '../../../active-set.ts';
import { RunDeadline, serverGraceMs } from '../../run-deadline.ts';
import type { RunPool } from '../../run-pool.ts';
import type { RenderedSql } from '../parameters.ts';
import { keptSelect, prepareSelect } from '../prepare.ts';
import type { Session } from '../session.ts';
import type { Types } from '../types.ts';
import { type MemberResult, maxMembers, PipelinedBatch } from './batch.ts';
import { isQuickBatch, QuickStatements } from './quick-statements.ts';

const watchdogMs = 50;
const maxChecks = 2;
const maxGatheringMs = 5;
const maxSharing = 2 * maxMembers;

/**
 * Sends statements that are known to be quick in batches: a batch is one write on one connection, and mostly one read. That costs both
 * sides a fraction of separate exchanges. While a batch is in the database, the next one gathers members. A batch that fails or is late
 * is abandoned, and its members run separately.
 */
export class Pipeline {
  readonly quick = new QuickStatements();
  readonly #pool: RunPool<Session>;
  readonly #types: Types;
  readonly #sent = new ActiveSet<PipelinedBatch>();
  #gathering: PipelinedBatch | undefined; // members can join
  #gatheringTimer: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(pool: RunPool<Session>, types: Types) {
    this.#pool = pool;
    this.#types = types;
  }

  /** Whether a statement may join without a slot: there are few members, and a connection for them. */
  get hasRoom(): boolean {
    if (this.#sent.size === 0) return !this.#pool.isExhausted;
    const members = this.#sent.list().reduce((sum, { size }) => sum + size, this.#gathering?.size ?? 0);
    return members < maxSharing;
  }

  /** Undefined where the statement has to run separately. */
  join(main: RenderedSql, timeoutMs: number, signal: AbortSignal): Promise<MemberResult> | undefined {
    if (signal.aborted || !this.quick.has(main.key.select)) return undefined;
    const batch = this.#gathering ?? this.#gather();
    const result = batch.join(main, timeoutMs);
    if (batch.isFull) this.#close(batch);
    return result;
  }

  #gather(): PipelinedBatch {
    const batch = new PipelinedBatch();
    this.#gathering = batch;
    // after all runs of this event loop turn have joined
    setImmediate(() => {
      if (this.#sent.size === 0) this.#close(batch);
      else if (this.#gathering === batch) this.#gatheringTimer = setTimeout(() => this.#close(batch), maxGatheringMs);
    });
    return batch;
  }

  /** Sends the batch if it is still gathering. */
  #close(batch: PipelinedBatch | undefined): void {
    if (batch === undefined || this.#gathering !== batch) return;
    this.#gathering = undefined;
    clearTimeout(this.#gatheringTimer);
    void this.#send(batch);
  }

  async #send(batch: PipelinedBatch): Promise<void> {
    if (this.#pool.isExhausted) return batch.abandon(); // other runs would keep it waiting
    this.#sent.add(batch);
    this.#watchdog ??= setInterval(() => this.#check(), watchdogMs).unref();
    const deadline = new RunDeadline(new AbortController().signal, batch.timeoutMs); // each member has its own signal
    deadline.onStop = () => batch.abandon();
    try {
      const acquired = this.#pool.acquire(deadline);
      const session = acquired instanceof Promise ? await acquired : acquired;
      if (!batch.isAbandoned) await this.#exchange(batch, session);
      this.#pool.release(session, deadline);
    } catch {
      batch.abandon(); // there is no connection: the separate runs report why
    } finally {
      this.#sent.remove(batch);
      if (this.#sent.size === 0) this.#close(this.#gathering);
    }
  }

  async #exchange(batch: PipelinedBatch, session: Session): Promise<void> {
    session.boundStatements(batch.timeoutMs + serverGraceMs);
    const { statements } = batch;
    const unprepared = new Map<string, RenderedSql>();
    for (const main of statements) if (keptSelect(session, main) === undefined) unprepared.set(main.key.select, main);
    if (unprepared.size > 0) {
      await Promise.allSettled([...unprepared.values()].map((main) => prepareSelect(session, this.#types, main)));
      if (batch.isAbandoned) return;
    }
    const begun = performance.now();
    const messages = batch.messages((main) => keptSelect(session, main));
    if (messages === undefined) return;
    session.wire.stream(messages, batch);
    await batch.over;
    if (batch.isAbandoned || !isQuickBatch(performance.now() - begun, statements.length))
      for (const { key } of statements) this.quick.distrust(key.select);
    if (!batch.isAbandoned) return;
    if (batch.hasUnexpectedRows) session.report();
    await (batch.isEnded ? session.reset() : session.cancel(batch.ended));
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
