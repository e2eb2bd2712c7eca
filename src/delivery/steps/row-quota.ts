import { narrower, nextDayAt } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { type Failure, failed, type Result, succeeded } from '../../errors.ts';
import type { KeyRows } from '../key-rows.ts';

export type RowQuota = ReturnType<typeof createRowQuota>;

/** The rows of one call, reserved while it runs, so that parallel calls do not exceed the limit together. */
export interface RowAllowance {
  /** Reserves up to `wanted` rows, at least one, and returns how many. Replaces the previous reservation. */
  hold(wanted: number): Result<number> | Promise<Result<number>>;
  /** Reserves all of these rows or throws a QuotaError, for results that cannot be partial. */
  holdAll(wanted: number): Promise<void>;
  /** Counts the rows that were sent and releases the rest of the reservation. */
  settle(rows: number | null): void;
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
    const resultOf = (rows: number): Result<number> => (rows > 0 ? succeeded(rows) : failed(exceededNow()));
    return succeeded({
      hold: (wanted) => {
        const rows = reservation.hold(wanted);
        return typeof rows === 'number' ? resultOf(rows) : rows.then(resultOf);
      },
      holdAll: async (wanted) => {
        if ((await reservation.hold(wanted, wanted)) < wanted) throw new QuotaError(exceededNow());
      },
      settle: (rows) => reservation.settle(rows ?? 0),
    });
  };
  const count = (keyId: string, rows: number | null): void => {
    if (rows !== null && rows > 0) keyRows.add(keyId, rows);
  };

  return {
    /** Whether the caller has a limit. */
    limits: (principal: Principal): boolean => limitOf(principal) > 0,
    /** A failure if the key has no rows left today. */
    open(principal: Principal): Result<RowAllowance> | Promise<Result<RowAllowance>> {
      const { means } = principal;
      if (means.kind !== 'key') return unbounded;
      const { keyId } = means;
      const most = limitOf(principal);
      if (most === 0) return succeeded({ ...unbounded.value, settle: (rows) => count(keyId, rows) });
      const had = keyRows.today(keyId); // reads the store if this process does not know the key yet
      return typeof had === 'number' ? bounded(keyId, most) : had.then(() => bounded(keyId, most));
    },
  };
}

const unbounded = {
  ok: true,
  value: { hold: (wanted: number) => succeeded(wanted), holdAll: async () => undefined, settle: () => undefined },
} satisfies Result<RowAllowance>;
