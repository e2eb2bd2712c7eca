import { Request } from 'tedious';
import type { ColumnMetadata } from 'tedious/lib/token/colmetadata-token-parser.js';
import { settleWithin } from '../runs/run-deadline.ts';
import type { Parameter } from './parameters.ts';
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

  /** Runs an author's statement; its rows go to the queue. Resolves when the statement has ended. */
  async run(sql: string, parameters: readonly Parameter[], queue?: ResultRows): Promise<void> {
    this.#connection.sink = queue ?? ignored;
    try {
      await this.#perform(sql, parameters, (request) => {
        request.on('columnMetadata', (columns) => queue?.begin(listOf(columns)));
        this.#connection.execSql(request);
      });
    } finally {
      this.#connection.sink = undefined;
    }
  }

  pause(): void {
    this.#request?.pause();
  }

  resume(): void {
    this.#request?.resume();
  }

  /** Resets the session: its settings, locks and temporary tables. Destroys the session on failure. */
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

  /** Otherwise the session is destroyed. */
  async #settleInTime(work: Promise<unknown>): Promise<void> {
    await settleWithin(settleMs, work).catch(() => this.destroy());
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.onLost();
  }

  async #readOwnRows(sql: string, parameters: readonly Parameter[], send: (request: Request) => void): Promise<OwnValue[][]> {
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

const ignored = { take: () => {} };

const listOf = (columns: ColumnMetadata[] | Record<string, ColumnMetadata>): readonly ColumnMetadata[] =>
  Array.isArray(columns) ? columns : Object.values(columns);
