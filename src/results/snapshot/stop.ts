import { CellTooLargeError } from '../encode/json-rows.ts';
import { ObjectStoreError } from '../storage/object-store-error.ts';
import { GivenUpError } from './live-drain.ts';

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
  if (error instanceof GivenUpError) return { state: 'given-up', keepsRows: error.keepsRows };
  if (error instanceof SpaceExhaustedError) return { state: 'bounded', reason: error.message };
  const ours =
    error instanceof CellTooLargeError || error instanceof SnapshotStorageError || error instanceof SnapshotStoppedError;
  return { state: 'failed', reason: ours ? error.message : reasonOf(error), error };
}

export const rowsBound = (rows: number) => `At most ${rows.toLocaleString('en')} rows of this result are delivered.`;
export const bytesBound = (bytes: number) => `At most ${bytes.toLocaleString('en')} bytes of a result are kept.`;
