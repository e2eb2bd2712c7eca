import { CellTooLargeError } from '../encode/json-rows.ts';
import { ObjectStoreError } from '../storage/object-store-error.ts';
import { DrainAbandonedError } from './live-drain.ts';

/** Why reading stopped. `error` is for the log, `reason` is shown to users. */
export type Stop =
  | { readonly state: 'complete' }
  | { readonly state: 'given-up'; readonly keepsRows: boolean }
  | { readonly state: 'bounded'; readonly reason: string }
  | { readonly state: 'failed'; readonly reason: string; readonly error: unknown };

/** Rows could not be written; the cause is the error of the operating system, or of the object store. */
export class SnapshotStorageError extends Error {
  constructor(cause: unknown) {
    super(`Rows could not be kept ${cause instanceof ObjectStoreError ? 'in the object store' : 'on disk'}.`, { cause });
    this.name = 'SnapshotStorageError';
  }
}

export class SpaceExhaustedError extends Error {
  readonly of: 'all' | 'user';
  constructor(of: 'all' | 'user' = 'all') {
    super(of === 'all' ? 'The space for kept results is used up.' : 'The space for the kept results of one user is used up.');
    this.name = 'SpaceExhaustedError';
    this.of = of;
  }
}

/** Rethrows errors of writing and reading kept rows as SnapshotStorageError. */
export async function rethrowStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SpaceExhaustedError || error instanceof SnapshotStorageError ? error : new SnapshotStorageError(error);
  }
}

export class SnapshotStoppedError extends Error {
  constructor() {
    super(stoppedReason);
    this.name = 'SnapshotStoppedError';
  }
}

export const stoppedReason = 'The service was stopped before all rows were read.';
export const damagedReason = 'The kept rows were damaged on disk.';

/** `reasonOf` describes errors of the database, which this module does not know. */
export function stopBy(error: unknown, reasonOf: (error: unknown) => string): Stop {
  if (error instanceof DrainAbandonedError) return { state: 'given-up', keepsRows: error.keepsRows };
  if (error instanceof SpaceExhaustedError) return { state: 'bounded', reason: spaceBound(error) };
  const ours =
    error instanceof CellTooLargeError || error instanceof SnapshotStorageError || error instanceof SnapshotStoppedError;
  return { state: 'failed', reason: ours ? error.message : reasonOf(error), error };
}

// the reasons name the setting, and the way to the rows that are missing
const WAYS = 'An export has all rows; or narrow the query by its parameters.';
const count = (number: number): string => number.toLocaleString('en');

/** The bound of the query, which exports meet, too. */
export const queryBound = (rows: number): string =>
  `The query delivers at most ${count(rows)} rows (its maxRows). Narrow it by its parameters, or ask its author to raise maxRows.`;
export const rowsBound = (rows: number): string =>
  `Pages deliver at most ${count(rows)} rows of a result (SLUICE_SNAPSHOT_MAX_ROWS). ${WAYS}`;
export const bytesBound = (bytes: number): string =>
  `Pages deliver at most ${count(bytes)} bytes of a result (SLUICE_SNAPSHOT_MAX_BYTES). ${WAYS}`;
export const fileBound = (bytes: number): string =>
  `An export file has at most ${count(bytes)} bytes (SLUICE_EXPORT_MAX_BYTES). An export without a link has no such bound; or narrow the query by its parameters.`;
export const spaceBound = ({ message, of }: SpaceExhaustedError): string =>
  `${message.slice(0, -1)} (SLUICE_SNAPSHOT_MAX_BYTES_${of === 'user' ? 'USER' : 'ALL'}). ${WAYS}`;
