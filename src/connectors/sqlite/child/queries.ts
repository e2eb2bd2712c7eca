import type { StatementSync } from 'node:sqlite';
import type { BoundValue } from '../../../core/sql-value.ts';
import type { WriteCell } from '../../embedded/child/batch-encoder.ts';
import { columnsOf, writerOf } from './cells.ts';
import type { GuardedDatabase } from './guard.ts';
import { prepare, queryText, type StatementText, valuesOf } from './prepare.ts';

export interface CompiledQuery {
  readonly text: StatementText;
  readonly statement: StatementSync;
  readonly columns: number;
  readonly columnsJson: Buffer;
  readonly write: WriteCell<readonly unknown[]>;
}

export interface StartedQuery {
  readonly query: CompiledQuery;
  readonly rows: Iterable<unknown>;
}

const mostKept = 64;
const longestKept = 1 << 16; // a statement holds its values until it is run again

/** The queries of an open file, each compiled once while the schema stays the same. One that has ended leaves nothing but its plan. */
export class Queries {
  readonly #kept = new Map<string, CompiledQuery>(); // the latest used last
  #schemaVersion: unknown;

  /** Starts a query in a transaction that has read this version of the schema. Throws `invalid`. */
  start(open: GuardedDatabase, schemaVersion: unknown, source: string, parameters: readonly BoundValue[]): StartedQuery {
    if (schemaVersion !== this.#schemaVersion) {
      this.#kept.clear();
      open.database.exec('SELECT count(*) FROM sqlite_schema'); // compiling would use the schema that was read before
      this.#schemaVersion = schemaVersion;
    }
    const kept = this.#kept.get(source);
    this.#kept.delete(source); // one that fails is compiled again
    const started = startQuery(open, source, parameters, kept);
    if (sizeOf(source, parameters) <= longestKept) this.#kept.set(source, started.query);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    return started;
  }

  /** It failed while it ran. */
  forget(source: string): void {
    this.#kept.delete(source);
  }
}

const sizeOf = (source: string, parameters: readonly BoundValue[]): number =>
  parameters.reduce((sum, { value }) => sum + (value?.length ?? 0), source.length);

export function startQuery(
  open: GuardedDatabase,
  source: string,
  parameters: readonly BoundValue[],
  kept?: CompiledQuery,
): StartedQuery {
  const text = kept?.text ?? queryText(source);
  const values = valuesOf(text, parameters);
  const start = (statement: StatementSync): StartedQuery => {
    const rows = statement.iterate(values);
    return { query: kept ?? describeQuery(text, statement), rows };
  };
  return prepare(open, 'select', text, start, kept?.statement);
}

function describeQuery(text: StatementText, statement: StatementSync): CompiledQuery {
  const columns = columnsOf(statement);
  const columnsJson = Buffer.from(JSON.stringify(columns));
  return { text, statement, columns: columns.length, columnsJson, write: writerOf(columns) };
}
