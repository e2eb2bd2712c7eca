import type { Column } from '../../results/column.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { requireWritable } from '../refused-epilogue.ts';
import { Watch } from '../watch.ts';
import { CellBatch } from './cell-batch.ts';
import { columnOf } from './columns.ts';
import { locatedError } from './describe.ts';
import { engineError } from './engine-error.ts';
import type { Pool } from './pool.ts';
import { type DeclaredColumn, type FileToOpen, frameTypes } from './protocol.ts';
import type { Frame, SqliteProcess } from './sqlite-process.ts';
import { queryText, type StatementText, statementText } from './statement-text.ts';

const graceMs = 20; // a process that waits for us ends a run in less; one that computes is not going to

export async function run(
  pool: Pool,
  file: FileToOpen,
  { sql, parameters, epilogue }: Statement,
  { timeoutMs }: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (epilogue !== undefined) requireWritable(file);
  const main = queryText(sql, parameters);
  const after = epilogue === undefined ? undefined : statementText(epilogue, parameters);
  const watch = new Watch(signal, timeoutMs);
  const rows = new Run(pool, await pool.lend(watch), watch, file);
  try {
    await rows.start(main, after, timeoutMs);
    return rows;
  } catch (error) {
    await rows.close();
    throw error;
  }
}

/** One execution, from the taking of a process to its return. */
class Run implements RowStream {
  columns: readonly Column[] = [];

  readonly #pool: Pool;
  readonly #process: SqliteProcess;
  readonly #watch: Watch;
  readonly #file: FileToOpen;
  #answered = false; // the process has nothing left to say
  #closing: Promise<void> | undefined;

  constructor(pool: Pool, process: SqliteProcess, watch: Watch, file: FileToOpen) {
    this.#pool = pool;
    this.#process = process;
    this.#watch = watch;
    this.#file = file;
    watch.onStop = () => void this.close();
  }

  async start(main: StatementText, epilogue: StatementText | undefined, timeoutMs: number): Promise<void> {
    const bound = ({ sql, values }: StatementText) => ({ sql, values });
    const after = epilogue === undefined ? {} : { epilogue: bound(epilogue) };
    this.#process.send({ type: 'run', file: this.#file, main: bound(main), ...after, timeoutMs });
    const { type, payload } = await this.#next();
    const content = JSON.parse(payload.toString());
    if (type === frameTypes.columns) {
      this.columns = (content as DeclaredColumn[]).map(columnOf); // both ends are ours
      return;
    }
    const error =
      epilogue === undefined
        ? await this.#watch.during(locatedError(this.#process, this.#file, content, 'select', main))
        : engineError(content); // it may be the Epilogue's
    this.#answered = true;
    throw error;
  }

  async *batches(): AsyncIterable<RowBatch> {
    try {
      for (;;) {
        const { type, payload } = await this.#next();
        switch (type) {
          case frameTypes.batch:
            yield new CellBatch(payload, this.columns.length);
            this.#process.send({ type: 'more' });
            continue;
          case frameTypes.epilogueRan:
            this.#watch.end(); // a commit happens or it does not: nothing interrupts it
            this.#process.send({ type: 'commit' });
            continue;
          case frameTypes.end:
            this.#answered = true;
            return;
          default:
            this.#answered = true;
            throw engineError(JSON.parse(payload.toString()));
        }
      }
    } finally {
      await this.close();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #next(): Promise<Frame> {
    if (this.#watch.stopped !== undefined) throw this.#watch.stopped;
    if (this.#closing !== undefined) throw new ConnectorError('cancelled', 'The rows were closed.');
    return await this.#watch.during(this.#process.next());
  }

  async #finish(): Promise<void> {
    this.#watch.onStop = () => {};
    if (!this.#answered && this.#process.isAlive) this.#answered = await this.#endsByItself();
    if (this.#answered && this.#process.isAlive) this.#pool.giveBack(this.#process, this.#watch);
    else this.#pool.discard(this.#process, this.#watch);
  }

  async #endsByItself(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), graceMs);
    this.#process.send({ type: 'stop' });
    try {
      for (;;) {
        const frame = await Promise.race([this.#process.next(), late]);
        if (frame === 'late') return false;
        if (frame.type === frameTypes.end || frame.type === frameTypes.failure) return true;
      }
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}
