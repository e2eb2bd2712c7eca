import { StoreError } from '../../metadata-store.ts';

/** Converts a driver error of either database. `statement` is the SQL that failed. */
export function storeErrorOf(error: unknown, statement: string): unknown {
  if (error instanceof StoreError || error instanceof TypeError) return error; // a TypeError is a defect
  const options = { cause: error };
  const code = sqliteCode(error) ?? sqlState(error);
  if (uniqueViolations.has(code)) return new StoreError('taken', 'The name is already taken.', options);
  if (!referenceViolations.has(code)) {
    return new StoreError('unavailable', 'The metadata store is not available at the moment.', options);
  }
  return /^\s*delete/i.test(statement)
    ? new StoreError('in-use', 'Something still refers to it.', options)
    : new StoreError('stale', 'It refers to something that is no longer there.', options);
}

/** Another connection holds SQLite's lock: worth a retry. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && [sqliteBusy, sqliteLocked].includes(code & 0xff);
}

/** How long to retry while another process holds SQLite's lock; a call that fails then still responds within 5 s. */
export const patienceMs = 3_500;

/** PostgreSQL could not serialize the transaction: worth a retry. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** PostgreSQL cannot store this value: out of range, not representable, too long for an index. */
export const isValueError = (error: unknown): boolean => /^(22|54)/.test(sqlState(error) ?? '');

/** PostgreSQL has no partition for a row, or a constraint that forbids it. Nothing of the statement was written. */
export const isCheckViolation = (error: unknown): boolean => sqlState(error) === '23514';

/** The server reported the error, so the connection is still usable. */
export const isServerError = (error: unknown): boolean => sqlState(error) !== null;

export const sqliteBusy = 5;
const sqliteLocked = 6;

type Code = number | string | null; // an extended result code of SQLite, or a state of PostgreSQL
const uniqueViolations: ReadonlySet<Code> = new Set([2067, 1555, '23505']);
const referenceViolations: ReadonlySet<Code> = new Set([787, 1811, '23503', '23001']); // 1811 and 23001 from `on delete restrict`

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}

function sqlState(thrown: unknown): string | null {
  const error = thrown instanceof StoreError ? thrown.cause : thrown;
  // system errors (ECONNREFUSED) have a code too, but no severity
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
