import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { isBusy } from './store-errors.ts';

export type AuditValues = readonly SQLInputValue[];

const TOGETHER = 8; // rows of one statement: to run one costs about as much as a row

/** Commits audit rows over a connection of its own, which never waits for the lock by itself. */
export class AuditCommit {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #columns: readonly string[];
  #inserts: { readonly one: StatementSync; readonly several: StatementSync } | undefined;

  constructor(file: string, columns: readonly string[]) {
    this.#columns = columns;
    this.#database = new DatabaseSync(file, { timeout: 0 });
    this.#database.exec('pragma synchronous = full');
    this.#begin = this.#database.prepare('begin immediate');
    this.#end = this.#database.prepare('commit');
  }

  /** False: another connection holds the lock. */
  takeLock(): boolean {
    try {
      this.#begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** Under the lock, all of them or none; gives the lock back. */
  commit(rows: readonly AuditValues[]): void {
    try {
      this.#inserts ??= { one: this.#insertOf(1), several: this.#insertOf(TOGETHER) };
      const { one, several } = this.#inserts;
      let at = 0;
      for (; at + TOGETHER <= rows.length; at += TOGETHER) several.run(...joined(rows, at));
      for (const row of rows.slice(at)) one.run(...row);
      this.#end.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  /** `or rollback`: by default SQLite would copy each page aside, so as to take back this one statement. */
  #insertOf(rows: number): StatementSync {
    const row = `(${this.#columns.map(() => '?').join()})`;
    return this.#database.prepare(
      `insert or rollback into audit (${this.#columns.join()}) values ${Array(rows).fill(row).join()}`,
    );
  }
}

/** A `flat()` of our own: that of arrays takes several times as long. */
function joined(rows: readonly AuditValues[], from: number): SQLInputValue[] {
  const values: SQLInputValue[] = [];
  for (let at = from; at < from + TOGETHER; at++) values.push(...(rows[at] ?? []));
  return values;
}
