import { ActiveSet } from '../../../active-set.ts';
import { RunDeadline, serverGraceMs } from '../../run-deadline.ts';
import type { RunPool } from '../../run-pool.ts';
import type { RenderedSql } from '../parameters.ts';
import { keptSelect, prepareSelect } from '../prepare.ts';
import type { Session } from '../session.ts';
import type { Types } from '../types.ts';
import { type MemberResult, PipelinedBatch } from './batch.ts';
import { QuickStatements } from './quick-statements.ts';

const watchdogMs = 50;
const maxChecks = 2;

/**
 * Sends statements that are known to be quick in batches: runs of the same event loop turn share a connection, and their messages are
 * one write and mostly one read. That costs both sides a fraction of separate exchanges. A batch that fails or is late is
 * abandoned, and its members run separately.
 */
export class Pipeline {
  readonly quick = new QuickStatements();
  readonly #pool: RunPool<Session>;
  readonly #types: Types;
  readonly #active = new ActiveSet<PipelinedBatch>();
  #open: PipelinedBatch | undefined; // members can join
  #watchdog: NodeJS.Timeout | undefined;

  constructor(pool: RunPool<Session>, types: Types) {
    this.#pool = pool;
    this.#types = types;
  }

  /** Undefined where the statement has to run separately. */
  join(main: RenderedSql, timeoutMs: number, signal: AbortSignal): Promise<MemberResult> | undefined {
    if (signal.aborted || !this.quick.has(main.key.select)) return undefined;
    let batch = this.#open;
    if (batch === undefined || batch.isFull || batch.timeoutMs !== timeoutMs) {
      batch = this.#start(timeoutMs);
      this.#open = batch;
    }
    return batch.join(main);
  }

  #start(timeoutMs: number): PipelinedBatch {
    const batch = new PipelinedBatch(timeoutMs);
    this.#active.add(batch);
    this.#watchdog ??= setInterval(() => this.#check(), watchdogMs).unref();
    setImmediate(() => void this.#send(batch)); // after all runs of this event loop turn have joined
    return batch;
  }

  async #send(batch: PipelinedBatch): Promise<void> {
    if (this.#open === batch) this.#open = undefined;
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
      this.#active.remove(batch);
    }
  }

  async #exchange(batch: PipelinedBatch, session: Session): Promise<void> {
    session.boundStatements(batch.timeoutMs + serverGraceMs);
    const unprepared: RenderedSql[] = [];
    const messages = batch.messages((main) => {
      const prepared = keptSelect(session, main);
      if (prepared === undefined) unprepared.push(main);
      return prepared;
    });
    if (messages !== undefined) {
      session.wire.stream(messages, batch);
      await batch.over;
    }
    if (batch.isAbandoned) {
      if (batch.hasUnexpectedRows) session.report();
      for (const { key } of batch.statements) this.quick.forget(key.select);
      await (batch.isEnded ? session.reset() : session.cancel(batch.ended));
    }
    await Promise.allSettled(unprepared.map((main) => prepareSelect(session, this.#types, main))); // for the next batches
  }

  /** Abandons batches that are late. */
  #check(): void {
    if (this.#active.size === 0) {
      clearInterval(this.#watchdog);
      this.#watchdog = undefined;
    }
    for (const batch of this.#active.list()) {
      if (++batch.checks <= maxChecks) continue;
      // not at once: where the event loop itself was blocked, the response may be there and unread
      setImmediate(() => this.#active.has(batch) && batch.abandon());
    }
  }
}
