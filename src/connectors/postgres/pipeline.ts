import { streamWholeRows } from '../../results/row-stream.ts';
import { type Member, type QuickBatch, QuickBatches } from '../runs/quick-batches.ts';
import { serverGraceMs } from '../runs/run-deadline.ts';
import type { RunPool } from '../runs/run-pool.ts';
import type { Prepared } from './cells.ts';
import { Messages } from './messages.ts';
import type { RenderedSql } from './parameters.ts';
import { findPreparedSelect, prepareSelect } from './prepare.ts';
import { clean, own, type Session } from './session.ts';
import type { Types } from './types.ts';
import { WireBatch } from './wire-batch.ts';
import type { RowListener } from './wire.ts';

export type Pipeline = QuickBatches<Session, RenderedSql>;

/** Quick statements in pipelined batches. */
export const createPipeline = (pool: RunPool<Session>, types: Types): Pipeline =>
  new QuickBatches({
    pool,
    quickMs: 20,
    keyOf: ({ key }) => key.select,
    exchange: (batch, session) => exchange(batch, session, types),
  });

async function exchange(batch: QuickBatch<RenderedSql>, session: Session, types: Types): Promise<number> {
  session.limitStatements(batch.timeoutMs + serverGraceMs);
  const unprepared = new Map<string, RenderedSql>();
  for (const { main } of batch.members)
    if (findPreparedSelect(session, main) === undefined) unprepared.set(main.key.select, main);
  if (unprepared.size > 0) {
    await Promise.allSettled([...unprepared.values()].map((main) => prepareSelect(session, types, main)));
    if (batch.isAbandoned) return 0;
  }
  const begun = performance.now();
  const exchange = new PipelinedExchange(batch);
  const messages = exchange.messages((main) => findPreparedSelect(session, main));
  if (messages === undefined) return 0;
  session.wire.stream(messages, exchange);
  await exchange.over;
  const tookMs = performance.now() - begun;
  if (!batch.isAbandoned) return tookMs;
  if (exchange.hasUnexpectedRows) session.report();
  await (exchange.isEnded ? session.reset() : session.cancel(exchange.ended));
  return tookMs;
}

const maxBytes = 1 << 20;

interface SentMember extends Member<RenderedSql> {
  readonly prepared: Prepared;
  readonly batches: WireBatch[];
}

/** The members of a batch in one exchange, each in a separate transaction. Either all succeed, or the batch is abandoned. */
class PipelinedExchange implements RowListener {
  readonly #batch: QuickBatch<RenderedSql>;
  readonly #sent: SentMember[] = []; // in the order of their commands
  readonly #over = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  /** The exchange has ended. */
  isEnded = false;
  hasUnexpectedRows = false;
  #lastBytes: Buffer | undefined;
  #bytes = 0;

  constructor(batch: QuickBatch<RenderedSql>) {
    this.#batch = batch;
    batch.stop = () => this.#over.resolve();
  }

  /** Resolves when all members have their rows, or the batch is abandoned. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Resolves when the exchange has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** The messages of the members whose statement is prepared; the others run separately. */
  messages(preparedOf: (main: RenderedSql) => Prepared | undefined): Buffer | undefined {
    const messages = new Messages();
    for (const member of this.#batch.members) {
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
    if (this.#bytes > maxBytes) this.#batch.abandon();
    return true;
  }

  end(): void {
    this.#endExchange();
    if (this.#batch.isAbandoned) return;
    for (const { resolve, prepared, batches } of this.#sent) resolve(streamWholeRows(prepared.columns, batches));
    this.#over.resolve();
    // an old exchange is collected late: it must not hold rows until then
    this.#sent.length = 0;
    this.#lastBytes = undefined;
  }

  fail(): void {
    this.#endExchange();
    this.#batch.abandon();
  }

  /** Rows of the cleaner: the rows that follow them may come from a statement that replaced ours. */
  #reportUnexpectedRows(): void {
    this.hasUnexpectedRows = true;
    this.#batch.abandon();
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
