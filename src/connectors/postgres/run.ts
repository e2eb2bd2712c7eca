import type { Column } from '../../core/column.ts';
import { type RowBatch, type RowStream, streamWholeRows } from '../../results/row-stream.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { RowQueue, streamQueue } from '../runs/row-queue.ts';
import { RunDeadline, serverGraceMs } from '../runs/run-deadline.ts';
import type { RunPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/refusals.ts';
import type { Prepared } from './cells.ts';
import { engineError } from './engine-error.ts';
import { Messages } from './messages.ts';
import { type RenderedSql, renderParameters } from './parameters.ts';
import type { Pipeline } from './pipeline.ts';
import { findPreparedSelect, prepareEpilogue, prepareSelect } from './prepare.ts';
import { clean, own, type Session } from './session.ts';
import type { Types } from './types.ts';
import { WireBatch } from './wire-batch.ts';
import { type RowSink, ServerError } from './wire.ts';

export interface Database {
  readonly pipeline: Pipeline | undefined;
  readonly pool: RunPool<Session>;
  readonly types: Types;
  readonly writable: boolean;
}

export async function run(
  database: Database,
  statement: Statement,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (statement.epilogue !== undefined) requireWritable(database);
  const main = renderParameters(statement.sql, statement.parameters);
  const epilogue = statement.epilogue === undefined ? undefined : renderParameters(statement.epilogue, statement.parameters);
  if (epilogue === undefined) {
    const joined = database.pipeline?.join(main, options.timeoutMs, signal);
    const pipelined = joined === undefined ? undefined : await joined;
    // a listener per call would cost more than to wait for the batch: if the caller left, the separate run fails as cancelled
    if (pipelined !== undefined && !signal.aborted) return pipelined;
  }
  const deadline = new RunDeadline(signal, options.timeoutMs);
  const acquired = database.pool.acquire(deadline);
  const session = acquired instanceof Promise ? await acquired : acquired;
  const rows = new Run(database, session, deadline, main, epilogue);
  try {
    session.limitStatements(options.timeoutMs + serverGraceMs);
    const begun = performance.now();
    await rows.start();
    const whole = rows.takeWhole();
    if (whole !== undefined) database.pipeline?.quick.recordRun(main.key.select, performance.now() - begun);
    else database.pipeline?.quick.recordSlowRun(main.key.select);
    return whole ?? rows;
  } catch (error) {
    await rows.close();
    throw engineError('failed', error);
  }
}

/** One execution, from acquiring a connection to releasing it. */
class Run implements RowStream {
  columns: readonly Column[] = [];

  readonly #database: Database;
  readonly #session: Session;
  readonly #deadline: RunDeadline;
  readonly #main: RenderedSql;
  readonly #epilogue: RenderedSql | undefined;
  #change: Prepared | undefined; // of the Epilogue
  #rows = noRows;
  #work: Promise<unknown> = Promise.resolve();
  #working = false;
  #whole = false;
  #closing: Promise<void> | undefined;

  constructor(database: Database, session: Session, deadline: RunDeadline, main: RenderedSql, epilogue: RenderedSql | undefined) {
    this.#database = database;
    this.#session = session;
    this.#deadline = deadline;
    this.#main = main;
    this.#epilogue = epilogue;
    deadline.onStop = () => void this.close();
  }

  /** Resolves when the first rows are received, or the end of an empty result. */
  async start(): Promise<void> {
    const { types } = this.#database;
    const session = this.#session;
    const prepared =
      findPreparedSelect(session, this.#main) ?? (await this.#runWithin(prepareSelect(session, types, this.#main)));
    const epilogue = this.#epilogue;
    if (epilogue !== undefined) this.#change = await this.#runWithin(prepareEpilogue(session, types, epilogue));
    try {
      await this.#execute(prepared);
    } catch (error) {
      if (!(error instanceof ServerError) || !notAsPrepared.has(error.code)) throw error;
      await session.reset();
      if (error.code === unknownStatement) session.isUnusable = true; // it was deallocated, and maybe the internal statements too
      session.forget(prepared.key);
      await this.#execute(await this.#runWithin(prepareSelect(session, types, this.#main)));
    }
  }

  /** The result if it was received completely: then the connection is released before the rows are read. */
  takeWhole(): RowStream | undefined {
    if (this.#epilogue !== undefined || this.#deadline.stopped !== undefined) return undefined;
    const batches = this.#rows.takeWhole();
    if (batches === undefined) return undefined;
    this.#deadline.onStop = () => {};
    if (this.#session.suspect) void this.close();
    else this.#database.pool.release(this.#session, this.#deadline);
    return streamWholeRows(this.columns, batches);
  }

  batches(): AsyncIterable<RowBatch> {
    const source = {
      deadline: this.#deadline,
      complete: () => this.#complete(),
      errorOf: (error: unknown) => engineError('failed', error),
      close: () => this.close(),
    };
    return streamQueue(this.columns, this.#rows, source).batches();
  }

  close(): Promise<void> {
    this.#deadline.onStop = () => {}; // close itself may stop the run
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** One write, and mostly one response: the rollback is sent with the statement. */
  #execute(prepared: Prepared): Promise<void> {
    const { wire } = this.#session;
    const messages = new Messages();
    const before = this.#epilogue === undefined ? [own.beginReadOnly] : [own.beginReadWrite, own.savepoint, own.readOnly];
    for (const { name } of before) messages.bind(name).execute();
    messages.bind(prepared.name, this.#main.values).execute();
    if (this.#epilogue === undefined) clean(messages.bind(own.rollback.name).execute());

    const rows = new RowQueue<WireBatch>(() => wire.resume());
    this.columns = prepared.columns;
    this.#rows = rows;
    wire.stream(messages.take(), {
      take: (bytes, starts, command) => {
        if (command === before.length) return rows.push(new WireBatch(bytes, starts, prepared.cells));
        this.#session.report();
        return true;
      },
      end: () => rows.end(),
      fail: (error) => rows.fail(error),
    });
    return this.#deadline.runWithin(rows.whenReady() ?? Promise.resolve());
  }

  async #complete(): Promise<void> {
    if (this.#epilogue !== undefined) await this.#runEpilogue(this.#epilogue);
    this.#deadline.end();
    this.#whole = true;
  }

  async #runEpilogue(epilogue: RenderedSql): Promise<void> {
    const { wire } = this.#session;
    const change = new Messages().bind(own.rollbackToSavepoint.name).execute();
    change.bind(this.#change?.name ?? '', epilogue.values).execute();
    await this.#runWithin(wire.exchange(change.take(), unwanted));
    if (this.#deadline.stopped !== undefined) throw this.#deadline.stopped;
    this.#deadline.end(); // a commit must not be interrupted
    const { tags } = await this.#track(wire.exchange(new Messages().statement('COMMIT').take()));
    if (tags[0] !== 'COMMIT') throw new ConnectorError('failed', 'The database rolled the Epilogue back.');
  }

  async #finish(): Promise<void> {
    const session = this.#session;
    this.#rows.discard();
    if (this.#working || !this.#rows.isOver) {
      this.#deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
      await session.cancel(this.#working ? this.#work : this.#rows.whenSettled());
      this.#database.pool.warmUp(); // a cancelled run costs its connection: the next run does not wait for a new one
    }
    if (!this.#whole || session.suspect) await session.reset();
    const release = (): void => this.#database.pool.release(session, this.#deadline);
    if (this.#epilogue === undefined) release();
    else void session.discard().then(release); // the reader does not wait for it
  }

  #runWithin<T>(work: Promise<T>): Promise<T> {
    return this.#deadline.runWithin(this.#track(work));
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#working = true;
    this.#work = work;
    const onSettled = (): void => {
      if (this.#work === work) this.#working = false;
    };
    work.then(onSettled, onSettled);
    return work;
  }
}

const noRows = new RowQueue<WireBatch>(() => {});
noRows.end();
const unknownStatement = '26000';
/** 0A000: a table has changed since the statement was prepared. */
const notAsPrepared: ReadonlySet<string> = new Set([unknownStatement, '0A000']);
/** Rows that an Epilogue returns. */
const unwanted: RowSink = { take: () => true };
