import { narrower, nextDayAt } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { type Failure, failed, type Result, succeeded } from '../../errors.ts';
import type { KeyRows, RowReservation } from '../key-rows.ts';

/** Bounds the rows a day of each key. */
export interface RowQuota {
  /** Refused where the key may have no more rows today. */
  open(principal: Principal): Result<RowAllowance> | Promise<Result<RowAllowance>>;
  /** Whether there is a bound at all. */
  limits(principal: Principal): boolean;
}

/** The rows of one call, reserved while it runs, so that calls at the same time do not pass the bound together. */
export interface RowAllowance {
  /** How many of the rows that are wanted may leave, at least one. Replaces what was held before. */
  hold(wanted: number): Result<number>;
  /** All of these rows, or a QuotaError: for results that are whole or nothing. */
  holdAll(wanted: number): void;
  /** So many rows have left to the caller; what is held beyond them is free again. */
  settle(rows: number | null): void;
}

/** Thrown into a result of which not all rows may leave. */
export class QuotaError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super('The key may not have so many rows today.');
    this.failure = failure;
  }
}

export function createRowQuota(keyRows: KeyRows, config: () => Pick<Config, 'keyRowsPerDay'>, now: () => number): RowQuota {
  const limitOf = ({ means }: Principal): number =>
    means.kind === 'key' ? narrower(means.limits?.rowsPerDay, config().keyRowsPerDay) : 0;

  const exceeded = (most: number, { had, held }: { had: number; held: number }): Failure => {
    const resetsAt = nextDayAt(now());
    const heldOnly = had < most && had + held >= most;
    const retryAfterSeconds = heldOnly ? 1 : Math.max(1, Math.ceil((resetsAt - now()) / 1000));
    return { kind: 'RowsExceeded', most, had, held, resetsAt, retryAfterSeconds };
  };

  const bounded = (keyId: string, most: number): Result<RowAllowance> => {
    const reservation: RowReservation = keyRows.reserve(keyId);
    const left = (): number => {
      const { had, held } = reservation.others();
      return most - had - held;
    };
    if (left() <= 0) return failed(exceeded(most, reservation.others()));
    const hold = (wanted: number): Result<number> => {
      const rows = Math.min(wanted, left());
      if (rows <= 0) return failed(exceeded(most, reservation.others()));
      reservation.hold(rows);
      return succeeded(rows);
    };
    return succeeded({
      hold,
      holdAll: (wanted) => {
        if (wanted > left()) throw new QuotaError(exceeded(most, reservation.others()));
        reservation.hold(wanted);
      },
      settle: (rows) => {
        reservation.hold(0);
        count(keyId, rows);
      },
    });
  };
  const count = (keyId: string, rows: number | null): void => {
    if (rows !== null && rows > 0) keyRows.add(keyId, rows);
  };

  return {
    limits: (principal) => limitOf(principal) > 0,
    open: (principal) => {
      const { means } = principal;
      if (means.kind !== 'key') return unbounded;
      const { keyId } = means;
      const most = limitOf(principal);
      if (most === 0) return succeeded({ ...unbounded.value, settle: (rows) => count(keyId, rows) });
      const had = keyRows.today(keyId); // asks the store where this process does not know the key yet
      return typeof had === 'number' ? bounded(keyId, most) : had.then(() => bounded(keyId, most));
    },
  };
}

const unbounded = {
  ok: true,
  value: { hold: (wanted: number) => succeeded(wanted), holdAll: () => undefined, settle: () => undefined },
} satisfies Result<RowAllowance>;

/** The same bytes; `ended` is called once: after the last of them, when they break, or when the reader leaves, with whether any had left. */
export function endTold(body: AsyncIterable<Uint8Array>, ended: (left: boolean) => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const source = body[Symbol.asyncIterator]();
      let left = false;
      let isOver = false;
      const end = (): void => {
        if (!isOver) ended(left);
        isOver = true;
      };
      return {
        next: async () => {
          try {
            const step = await source.next();
            if (step.done) end();
            else left = true;
            return step;
          } catch (error) {
            end();
            throw error;
          }
        },
        return: async () => {
          end();
          return (await source.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}
