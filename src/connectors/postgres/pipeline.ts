import { ActiveSet } from '../../core/concurrency/active-set.ts';
import { type RowStream, streamWholeRows } from '../../results/row-stream.ts';
import { RunDeadline, serverGraceMs } from '../runs/run-deadline.ts';
import type { RunPool } from '../runs/run-pool.ts';
import type { Prepared } from './cells.ts';
import { Messages } from './messages.ts';
import type { RenderedSql } from './parameters.ts';
import { findPreparedSelect, prepareSelect } from './prepare.ts';
import { clean, own, type Session } from './session.ts';
import type { Types } from './types.ts';
import { WireBatch } from './wire-batch.ts';
import type { RowListener } from './wire.ts';

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

const quickMs = 20;
const minRuns = 5;
const minRunsAfterBadBatch = 50;
const maxStatements = 1000;

/** The members of a batch run one after the other: beyond this they are better off on separate connections. */
const isQuickBatch = (tookMs: number, members: number): boolean => tookMs <= quickMs + members;

/** The statements whose latest runs were all quick, with a result that arrived as a whole. */
class QuickStatements {
  readonly #runs = new Map<string, number>(); // quick ones in a row; negative after a bad batch

  has(key: string): boolean {
    return this.#count(key) >= minRuns;
  }

  /** A separate run that returned its result as a whole. */
  recordRun(key: string, tookMs: number): void {
    if (tookMs > quickMs) this.recordSlowRun(key);
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

const maxMembers = 16;
const maxBytes = 1 << 20;

/** The rows of a member; undefined: the statement has to run separately. */
export type MemberResult = RowStream | undefined;

interface Member {
  readonly main: RenderedSql;
  readonly resolve: (result: MemberResult) => void; // only the first call counts
}

interface SentMember extends Member {
  readonly prepared: Prepared;
  readonly batches: WireBatch[];
}

/**
 * Statements that are sent in one exchange, each in a separate transaction. Either all succeed, or the batch is abandoned and each
 * member runs separately and gets its own error.
 */
export class PipelinedBatch implements RowListener {
  /** The longest of its members. */
  timeoutMs = 0;
  /** How often the watchdog has seen the batch. */
  checks = 0;
  readonly #members: Member[] = [];
  readonly #sent: SentMember[] = []; // in the order of their commands
  readonly #over = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  isAbandoned = false;
  /** The exchange has ended. */
  isEnded = false;
  hasUnexpectedRows = false;
  #lastBytes: Buffer | undefined;
  #bytes = 0;

  get isFull(): boolean {
    return this.#members.length >= maxMembers;
  }

  get statements(): readonly RenderedSql[] {
    return this.#members.map(({ main }) => main);
  }

  /** Resolves when all members have their rows, or the batch is abandoned. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Resolves when the exchange has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  join(main: RenderedSql, timeoutMs: number): Promise<MemberResult> {
    this.timeoutMs = Math.max(this.timeoutMs, timeoutMs);
    return new Promise((resolve) => this.#members.push({ main, resolve }));
  }

  /** The messages of the members whose statement is prepared; the others run separately. */
  messages(preparedOf: (main: RenderedSql) => Prepared | undefined): Buffer | undefined {
    const messages = new Messages();
    for (const member of this.#members) {
      const prepared = preparedOf(member.main);
      if (prepared === undefined) {
        member.resolve(undefined);
        continue;
      }
      if (this.#sent.length === 0) messages.bytes(begin);
      else clean(messages.bytes(beginNext));
      messages.bind(prepared.name, member.main.values).execute();
      this.#sent.push({ ...member, prepared, batches: [] });
    }
    return this.#sent.length === 0 ? undefined : clean(messages.bytes(rollback)).take();
  }

  take(bytes: Buffer, starts: readonly number[], command: number): boolean {
    const member = this.#sent[(command - 1) / commandsPerMember];
    if (member === undefined) this.#reportUnexpectedRows();
    if (member === undefined || this.#bytes > maxBytes) return true;
    member.batches.push(new WireBatch(bytes, starts, member.prepared.cells));
    if (bytes !== this.#lastBytes) this.#bytes += bytes.length;
    this.#lastBytes = bytes;
    if (this.#bytes > maxBytes) this.abandon();
    return true;
  }

  end(): void {
    this.#endExchange();
    if (this.isAbandoned) return;
    for (const { resolve, prepared, batches } of this.#sent) resolve(streamWholeRows(prepared.columns, batches));
    this.#over.resolve();
    // an old batch is collected late: it must not hold rows until then
    this.#sent.length = 0;
    this.#members.length = 0;
    this.#lastBytes = undefined;
  }

  fail(): void {
    this.#endExchange();
    this.abandon();
  }

  /** All members run separately. */
  abandon(): void {
    this.isAbandoned = true;
    for (const { resolve } of this.#members) resolve(undefined);
    this.#over.resolve();
  }

  /** Rows of the cleaner: the rows that follow them may come from a statement that replaced ours. */
  #reportUnexpectedRows(): void {
    this.hasUnexpectedRows = true;
    this.abandon();
  }

  #endExchange(): void {
    this.isEnded = true;
    this.#ended.resolve();
  }
}

const commandsPerMember = 3; // the statement, the begin of the next transaction, and the cleaner
const begin = new Messages().bind(own.beginReadOnly.name).execute().view();
const beginNext = new Messages().bind(own.rollbackAndBegin.name).execute().view();
const rollback = new Messages().bind(own.rollback.name).execute().view();
