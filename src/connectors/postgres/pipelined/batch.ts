import { type RowStream, streamWholeRows } from '../../../results/row-stream.ts';
import { clean } from '../cleaner.ts';
import { Messages } from '../messages.ts';
import type { RenderedSql } from '../parameters.ts';
import type { Prepared } from '../prepared.ts';
import { own } from '../session.ts';
import { WireBatch } from '../wire-batch.ts';
import type { RowListener } from '../wire.ts';

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
const begin = new Messages().bind(own.beginReadOnly).execute().view();
const beginNext = new Messages().bind(own.rollbackAndBegin).execute().view();
const rollback = new Messages().bind(own.rollback).execute().view();
