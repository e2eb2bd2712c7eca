import { StoreError } from '../../metadata-store.ts';

/** Converts a driver error of either database. `statement` is the SQL that failed. */
export function storeErrorOf(error: unknown, statement: string): unknown {
  if (error instanceof StoreError || error instanceof TypeError) return error; // a TypeError is a defect
  const cause = { cause: error };
  switch (violationOf(error)) {
    case 'unique':
      return new StoreError('taken', 'The name is already taken.', cause);
    case 'reference':
      return /^\s*delete/i.test(statement)
        ? new StoreError('in-use', 'Something still refers to it.', cause)
        : new StoreError('stale', 'It refers to something that is no longer there.', cause);
    default:
      return new StoreError('unavailable', 'The metadata store is not available at the moment.', cause);
  }
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
// extended result codes
const sqliteUnique = [2067, 1555];
const sqliteForeignKey = [787, 1811]; // the second from `on delete restrict`
const postgresUnique = '23505';
const postgresForeignKey = ['23503', '23001'];

function violationOf(error: unknown): 'unique' | 'reference' | null {
  const code = sqliteCode(error);
  const state = sqlState(error);
  if (state === postgresUnique || (code !== null && sqliteUnique.includes(code))) return 'unique';
  if ((code !== null && sqliteForeignKey.includes(code)) || (state !== null && postgresForeignKey.includes(state)))
    return 'reference';
  return null;
}

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
