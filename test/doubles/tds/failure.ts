import type { SqlError } from './tokens.ts';

/** What a statement ends with when it fails, and what the server says beside it. */
export class SqlFailure extends Error {
  readonly error: SqlError;
  readonly consequences: readonly SqlError[];

  constructor(error: SqlError, consequences: readonly SqlError[] = []) {
    super(error.message);
    this.error = error;
    this.consequences = consequences;
  }
}
