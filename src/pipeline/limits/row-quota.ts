import { narrower, nextDayAt } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { type Lease, unlimited } from '../../core/concurrency/lease.ts';
import { type Failure, failed, type Result, succeeded } from '../../core/errors.ts';
import type { KeyRows } from './key-rows.ts';

export type RowQuota = ReturnType<typeof createRowQuota>;

/** The rows of one call, reserved while it runs, so that parallel calls do not exceed the limit together. */
export interface RowAllowance extends Lease {
  /** Reserves up to `wanted` rows, at least one, and returns how many. Replaces the previous reservation. */
  hold(wanted: number): Promise<Result<number>>;
  /** Reserves all of these rows or throws a QuotaError, for results that cannot be partial. */
  holdAll(wanted: number): Promise<void>;
  /** Counts the rows that were sent, and ends the reservation. */
  settle(rows: number): void;
}

/** Thrown while reading a result that exceeds the limit. */
export class QuotaError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super('The key has not enough rows left today.');
    this.failure = failure;
  }
}

/** Bounds the rows per day of each key. */
export function createRowQuota(keyRows: KeyRows, config: () => Pick<Config, 'keyRowsPerDay'>, now: () => number) {
  const limitOf = ({ authentication }: Principal): number =>
    authentication.kind === 'key' ? narrower(authentication.limits?.rowsPerDay, config().keyRowsPerDay) : 0;

  const quotaFailure = (most: number, { had, held }: { had: number; held: number }): Failure => {
    const resetsAt = nextDayAt(now());
    const heldOnly = had < most && had + held >= most;
    const retryAfterSeconds = heldOnly ? 1 : Math.max(1, Math.ceil((resetsAt - now()) / 1000));
    return { kind: 'RowsExceeded', most, had, held, resetsAt, retryAfterSeconds };
  };

  const reserveRows = (keyId: string, most: number): Result<RowAllowance> => {
    const reservation = keyRows.reserve(keyId, most);
    const currentFailure = () => quotaFailure(most, reservation.countOthers());
    if (reservation.isFull()) return failed(currentFailure());
    return succeeded({
      async hold(wanted) {
        const rows = await reservation.hold(wanted);
        return rows > 0 ? succeeded(rows) : failed(currentFailure());
      },
      async holdAll(wanted) {
        if ((await reservation.hold(wanted, wanted)) < wanted) throw new QuotaError(currentFailure());
      },
      settle: (rows) => reservation.settle(rows),
      [Symbol.dispose]: () => reservation.settle(0),
    });
  };

  return {
    /** Whether the caller has a limit. */
    limits: (principal: Principal): boolean => limitOf(principal) > 0,
    /** A failure if the key has no rows left today. */
    async acquire(principal: Principal): Promise<Result<RowAllowance>> {
      const { authentication } = principal;
      if (authentication.kind !== 'key') return succeeded(unbounded);
      const { keyId } = authentication;
      const most = limitOf(principal);
      if (most === 0) return succeeded({ ...unbounded, settle: (rows) => keyRows.add(keyId, rows) });
      await keyRows.today(keyId); // reads the store if this process does not know the key yet
      return reserveRows(keyId, most);
    },
  };
}

const unbounded: RowAllowance = {
  ...unlimited,
  hold: async (wanted) => succeeded(wanted),
  holdAll: async () => undefined,
  settle: () => undefined,
};
