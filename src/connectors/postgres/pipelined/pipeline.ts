import { ActiveSet } from '../../../core/concurrency/active-set.ts';
import { RunDeadline, serverGraceMs } from '../../runs/run-deadline.ts';
import type { RunPool } from '../../runs/run-pool.ts';
import type { RenderedSql } from '../parameters.ts';
import { findPreparedSelect, prepareSelect } from '../prepare.ts';
import type { Session } from '../session.ts';
import type { Types } from '../types.ts';
import { type MemberResult, PipelinedBatch } from './batch.ts';
import { isQuickBatch, QuickStatements } from './quick-statements.ts';

const watchdogMs = 50;
const maxChecks = 2;

/**
 * Sends statements that are known to be quick in batches: the runs of one turn of the event loop share a connection, one write and mostly
 * one read. That costs both sides a fraction of separate exchanges. A batch that fails or is late is abandoned, and its members run
 * separately.
 */
export class Pipeline {
  readonly quick = new QuickStatements();
  readonly #pool: RunPool<Session>;
  readonly #types: Types;
  readonly #sent = new ActiveSet<PipelinedBatch>();
  #gathering: PipelinedBatch | undefined; // members can join
  #watchdog: NodeJS.Timeout | undefined;

  constructor(pool: RunPool<Session>, types: Types) {
    this.#pool = pool;
    this.#types = types;
  }

  /** Undefined where the statement has to run separately. */
  join(main: RenderedSql, timeoutMs: number, signal: AbortSignal): Promise<MemberResult> | undefined {
    if (signal.aborted || !this.quick.has(main.key.select)) return undefined;
    if (this.#gathering === undefined || this.#gathering.isFull) this.#gathering = this.#gather();
    return this.#gathering.join(main, timeoutMs);
  }

  #gather(): PipelinedBatch {
    const batch = new PipelinedBatch();
    setImmediate(() => void this.#send(batch)); // after all runs of this event loop turn have joined
    return batch;
  }

  async #send(batch: PipelinedBatch): Promise<void> {
    if (this.#gathering === batch) this.#gathering = undefined;
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
    }
  }

  async #exchange(batch: PipelinedBatch, session: Session): Promise<void> {
    session.limitStatements(batch.timeoutMs + serverGraceMs);
    const { statements } = batch;
    const unprepared = new Map<string, RenderedSql>();
    for (const main of statements) if (findPreparedSelect(session, main) === undefined) unprepared.set(main.key.select, main);
    if (unprepared.size > 0) {
      await Promise.allSettled([...unprepared.values()].map((main) => prepareSelect(session, this.#types, main)));
      if (batch.isAbandoned) return;
    }
    const begun = performance.now();
    const messages = batch.messages((main) => findPreparedSelect(session, main));
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
