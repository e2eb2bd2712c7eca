import { constants, type DatabaseSync } from 'node:sqlite';
import { onlySelect, refusal } from '../../statements/refusals.ts';

/** What an author's statement is for. */
export type Purpose = 'select' | 'epilogue';

export interface GuardedDatabase {
  readonly database: DatabaseSync;
  readonly guard: Guard;
}

/** Authorizes the actions of a statement while SQLite compiles it. Actions that are not listed are denied. */
export class Guard {
  #purpose: Purpose | 'own' = 'own';
  #refusal: string | undefined;
  #changesRows = false;

  constructor(database: DatabaseSync) {
    database.setAuthorizer((action, first, second) => this.#decide(action, first, second));
  }

  /** Compiles for a purpose, which stays in force: SQLite compiles again when the schema has changed, and for virtual tables. */
  enter<T>(purpose: Purpose, compile: () => T): T {
    this.#purpose = purpose;
    this.#refusal = undefined;
    this.#changesRows = false;
    try {
      const compiled = compile();
      if (purpose === 'epilogue' && !this.#changesRows) throw refusal(onlyChanges);
      return compiled;
    } catch (error) {
      throw this.#refusal === undefined ? error : refusal(this.#refusal);
    }
  }

  /** The following statements are internal. */
  leave(): void {
    this.#purpose = 'own';
  }

  #decide(action: number, first: string | null, second: string | null): number {
    if (this.#purpose === 'own') return constants.SQLITE_OK;
    const refusal = this.#refusalOf(action, first, second);
    if (refusal === undefined) return constants.SQLITE_OK;
    this.#refusal ??= refusal;
    return constants.SQLITE_DENY;
  }

  #refusalOf(action: number, first: string | null, second: string | null): string | undefined {
    switch (action) {
      case constants.SQLITE_SELECT:
      case constants.SQLITE_RECURSIVE:
        return undefined;
      case constants.SQLITE_READ:
        return first !== null && /^pragma_/i.test(first) ? 'Pragmas are not available in queries.' : undefined;
      case constants.SQLITE_FUNCTION:
        return deniedFunctions.has(second?.toLowerCase() ?? '')
          ? `The function ${second} is not available in queries.`
          : undefined;
      case constants.SQLITE_PRAGMA:
        // full-text search needs it for reading
        return first === 'data_version' && second === null ? undefined : 'Pragmas are not available in queries.';
      case constants.SQLITE_INSERT:
      case constants.SQLITE_UPDATE:
      case constants.SQLITE_DELETE:
        if (this.#purpose !== 'epilogue') return onlySelect;
        if (/^sqlite_/i.test(first ?? '')) return onlyChanges;
        this.#changesRows = true;
        return undefined;
      default:
        return this.#purpose === 'epilogue' ? onlyChanges : onlySelect;
    }
  }
}

const deniedFunctions: ReadonlySet<string> = new Set(['load_extension', 'fts3_tokenizer']);

const onlyChanges = 'An Epilogue is one INSERT, UPDATE or DELETE statement.';
