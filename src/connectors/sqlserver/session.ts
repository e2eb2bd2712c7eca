import { Request, TYPES } from 'tedious';
import type { ColumnMetadata } from 'tedious/lib/token/colmetadata-token-parser.js';
import { settleWithin } from '../runs/run-deadline.ts';
import type { Parameter, RenderedSql } from './parameters.ts';
import type { ResultRows } from './result-rows.ts';
import type { RowConnection } from './row-connection.ts';

/** A value of an internal statement, as the driver reads it. */
export type OwnValue = string | number | boolean | null;

/** One connection, which runs one request at a time. */
export class Session {
  onLost: () => void = () => {};
  readonly #connection: RowConnection;
  #lost = false;
  #request: Request | undefined;
  #running: Promise<void> = Promise.resolve(); // the request

  constructor(connection: RowConnection) {
    this.#connection = connection;
    connection.on('end', () => this.#lose());
  }

  get usable(): boolean {
    return !this.#lost;
  }

  get isWorking(): boolean {
    return this.#request !== undefined;
  }

  end(): void {
    this.destroy();
  }

  /** Runs an internal batch. */
  rows(sql: string): Promise<OwnValue[][]> {
    return this.#readOwnRows(sql, [], (request) => this.#connection.execSqlBatch(request));
  }

  /** Calls a procedure of the server. */
  call(procedure: string, parameters: readonly Parameter[]): Promise<OwnValue[][]> {
    return this.#readOwnRows(procedure, parameters, (request) => this.#connection.callProcedure(request));
  }

  /** Opens a transaction for several statements. */
  async begin(): Promise<void> {
    await this.rows(begin);
  }

  /** Runs an author's statement; its rows go to the queue. Resolves when the statement has ended. */
  run({ sql, parameters }: RenderedSql, queue?: ResultRows): Promise<void> {
    return this.#runInto(queue, sql, parameters, () => {});
  }

  /**
   * The same in one request with its own transaction, which is rolled back, and with the reset after an earlier run. The statement is a
   * parameter: it is compiled apart from the text around it. Resolves with the number of transactions that were open after it.
   */
  async runOnce({ sql, declaration, parameters }: RenderedSql, queue: ResultRows): Promise<unknown> {
    const names = parameters.map(({ name }) => `, @${name}`);
    const text = `${this.#connection.getInitialSql()}
${begin}
EXEC sp_executesql @statement${names.length === 0 ? '' : `, @types${names.join('')}`}
SET @open = @@TRANCOUNT
IF @open > 0 ROLLBACK TRANSACTION`;
    const own = [
      { name: 'statement', type: TYPES.NVarChar, value: sql, options: {} },
      { name: 'types', type: TYPES.NVarChar, value: declaration, options: {} },
    ];
    let open: unknown;
    await this.#runInto(queue, text, [...own, ...parameters], (request) => {
      request.addOutputParameter('open', TYPES.Int);
      request.on('returnValue', (_name, value) => {
        open = value;
      });
    });
    return open;
  }

  pause(): void {
    this.#request?.pause();
  }

  resume(): void {
    this.#request?.resume();
  }

  /** Has the session reset by the next request, before anything else: its settings, locks and temporary tables. */
  resetLater(): void {
    this.#connection.resetConnectionOnNextRequest = true;
  }

  /** Resets it now. Destroys the session on failure. */
  async reset(): Promise<void> {
    if (this.#lost) return;
    await this.#settleInTime(
      new Promise<void>((resolve, reject) => {
        this.#connection.reset((error) => (error ? reject(error) : resolve()));
      }),
    );
  }

  /** Ends the transaction, if there is one. Destroys the session on failure. */
  async rollBack(): Promise<void> {
    if (!this.#lost) await this.#settleInTime(this.rows('IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION'));
  }

  /** Cancels the running request and waits for its end; the driver has its own time limit. */
  async cancel(): Promise<void> {
    this.#request?.cancel();
    await this.#settleInTime(this.#running.catch(() => {}));
  }

  destroy(): void {
    this.#connection.close();
    this.#lose();
  }

  /** Destroys the session if the work fails or takes too long. */
  async #settleInTime(work: Promise<unknown>): Promise<void> {
    await settleWithin(settleMs, work).catch(() => this.destroy());
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.onLost();
  }

  async #runInto(
    queue: ResultRows | undefined,
    sql: string,
    parameters: readonly Parameter[],
    prepare: (request: Request) => void,
  ): Promise<void> {
    this.#connection.sink = queue ?? ignored;
    try {
      await this.#perform(sql, parameters, (request) => {
        prepare(request);
        request.on('columnMetadata', (columns) => queue?.begin(listOf(columns)));
        this.#connection.execSql(request);
      });
    } finally {
      this.#connection.sink = undefined;
    }
  }

  async #readOwnRows(sql: string, parameters: readonly Parameter[], send: (request: Request) => void): Promise<OwnValue[][]> {
    if (this.#connection.resetConnectionOnNextRequest === true) await this.reset(); // also sets the driver's options
    const rows: OwnValue[][] = [];
    await this.#perform(sql, parameters, (request) => {
      request.on('row', (cells: readonly { value: OwnValue }[]) => rows.push(cells.map(({ value }) => value)));
      send(request);
    });
    return rows;
  }

  #perform(sql: string, parameters: readonly Parameter[], send: (request: Request) => void): Promise<void> {
    this.#running = new Promise((resolve, reject) => {
      const request = new Request(sql, (error) => {
        if (this.#request === request) this.#request = undefined;
        if (error) reject(error);
        else resolve();
      });
      for (const { name, type, value, options } of parameters) request.addParameter(name, type, value, options);
      this.#request = request;
      send(request);
    });
    return this.#running;
  }
}

export const settleMs = 2000;

const begin = 'SET LOCK_TIMEOUT 5000; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF; BEGIN TRANSACTION';

const ignored = { take: () => {} };

const listOf = (columns: ColumnMetadata[] | Record<string, ColumnMetadata>): readonly ColumnMetadata[] =>
  Array.isArray(columns) ? columns : Object.values(columns);
