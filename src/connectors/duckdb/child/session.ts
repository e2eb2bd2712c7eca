import duckdb from '@duckdb/node-bindings';
import { LRUCache } from 'lru-cache';
import type { BoundValue } from '../../../core/sql-value.ts';
import { ByteWriter } from '../../../results/byte-writer.ts';
import { cellReader } from './cells/cell-reader.ts';
import { cellsOf } from './cells/vector-data.ts';
import { bindValues } from './parameters.ts';

const keptStatements = 64;

type Purpose = 'select' | 'epilogue' | 'own';
const keyOf = (purpose: Purpose, sql: string): string => `${purpose} ${sql}`;

/** One connection and the statements prepared on it. */
export class Session {
  readonly connection: duckdb.Connection;
  readonly #statements = new LRUCache<string, duckdb.PreparedStatement>({
    max: keptStatements,
    dispose: (statement) => duckdb.destroy_prepare_sync(statement),
  });
  readonly #dataChanges: boolean;

  /** With `dataChanges`, authors' statements are not cached: their plans depend on the statistics at the time of preparing. */
  constructor(connection: duckdb.Connection, { dataChanges }: { readonly dataChanges: boolean }) {
    this.connection = connection;
    this.#dataChanges = dataChanges;
  }

  interrupt(): void {
    duckdb.interrupt(this.connection);
  }

  /** Runs a statement without parameters and ignores its rows. */
  async execute(sql: string): Promise<void> {
    await duckdb.query(this.connection, sql);
  }

  /** The rows of an internal statement. */
  async rows(sql: string, parameters: readonly string[] = []): Promise<unknown[][]> {
    const statement = await this.prepare('own', sql, () => duckdb.prepare(this.connection, sql));
    parameters.forEach((text, index) => {
      duckdb.bind_varchar(statement, index + 1, text);
    });
    return readRows(await duckdb.execute_prepared(statement));
  }

  /** The rows of a statement that is not cached. */
  async runOnce(sql: string, values: readonly BoundValue[]): Promise<unknown[][]> {
    const statement = await duckdb.prepare(this.connection, sql);
    try {
      bindValues(statement, values);
      return await readRows(await duckdb.execute_prepared(statement));
    } finally {
      duckdb.destroy_prepare_sync(statement);
    }
  }

  /** The cached statement for this purpose and text, or a new one from `make`. */
  async prepare(purpose: Purpose, sql: string, make: () => Promise<duckdb.PreparedStatement>): Promise<duckdb.PreparedStatement> {
    const key = keyOf(purpose, sql);
    if (this.#dataChanges && purpose !== 'own') this.#statements.delete(key);
    const statement = this.#statements.get(key) ?? (await make());
    this.#statements.set(key, statement);
    return statement;
  }

  forget(purpose: Purpose, sql: string): void {
    this.#statements.delete(keyOf(purpose, sql));
  }

  close(): void {
    this.#statements.clear();
    duckdb.disconnect_sync(this.connection);
  }
}

export function columnsOf(result: duckdb.Result): { name: string; type: duckdb.LogicalType }[] {
  return Array.from({ length: duckdb.column_count(result) }, (_, index) => ({
    name: duckdb.column_name(result, index),
    type: duckdb.column_logical_type(result, index),
  }));
}

/** Cells as their JSON has them; documents are parsed. */
async function readRows(result: duckdb.Result): Promise<unknown[][]> {
  const readers = columnsOf(result).map(({ type }) => cellReader(type));
  const rows: unknown[][] = [];
  for (;;) {
    const chunk = await duckdb.fetch_chunk(result);
    const length = chunk === null ? 0 : duckdb.data_chunk_get_size(chunk);
    if (chunk === null || length === 0) return rows;
    const cells = cellsOf(chunk, length, readers);
    for (let row = 0; row < length; row++) {
      rows.push(
        cells.map((write) => {
          const out = new ByteWriter(256);
          write(row, out);
          return JSON.parse(out.view().toString());
        }),
      );
    }
  }
}
