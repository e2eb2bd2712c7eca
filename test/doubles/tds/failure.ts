import type { SqlError } from './tokens.ts';

/** The error of a failed statement. */
export class SqlFailure extends Error {
  readonly error: SqlError;
  readonly consequences: readonly SqlError[];

  constructor(error: SqlError, consequences: readonly SqlError[] = []) {
    super(error.message);
    this.error = error;
    this.consequences = consequences;
  }
}
