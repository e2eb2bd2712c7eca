import { narrower, nextDayAt } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import { type Lease, unlimited } from '../../concurrency/lease.ts';
import type { Config } from '../../config/config.ts';
import { type Failure, failed, type Result, succeeded } from '../../errors.ts';
import type { KeyRows } from '../key-rows.ts';

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
  const limitOf = ({ means }: Principal): number =>
    means.kind === 'key' ? narrower(means.limits?.rowsPerDay, config().keyRowsPerDay) : 0;

  const exceeded = (most: number, { had, held }: { had: number; held: number }): Failure => {
    const resetsAt = nextDayAt(now());
    const heldOnly = had < most && had + held >= most;
    const retryAfterSeconds = heldOnly ? 1 : Math.max(1, Math.ceil((resetsAt - now()) / 1000));
    return { kind: 'RowsExceeded', most, had, held, resetsAt, retryAfterSeconds };
  };

  const bounded = (keyId: string, most: number): Result<RowAllowance> => {
    const reservation = keyRows.reserve(keyId, most);
    const exceededNow = () => exceeded(most, reservation.others());
    if (reservation.isFull()) return failed(exceededNow());
    return succeeded({
      async hold(wanted) {
        const rows = await reservation.hold(wanted);
        return rows > 0 ? succeeded(rows) : failed(exceededNow());
      },
      async holdAll(wanted) {
        if ((await reservation.hold(wanted, wanted)) < wanted) throw new QuotaError(exceededNow());
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
      const { means } = principal;
      if (means.kind !== 'key') return succeeded(unbounded);
      const { keyId } = means;
      const most = limitOf(principal);
      if (most === 0) return succeeded({ ...unbounded, settle: (rows) => keyRows.add(keyId, rows) });
      await keyRows.today(keyId); // reads the store if this process does not know the key yet
      return bounded(keyId, most);
    },
  };
}

const unbounded: RowAllowance = {
  ...unlimited,
  hold: async (wanted) => succeeded(wanted),
  holdAll: async () => undefined,
  settle: () => undefined,
};
