import { narrower, nextDayAt } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { KeyRows } from '../key-rows.ts';

/** Bounds the rows a day of each key. */
export interface RowQuota {
  /** Whether the key may have more rows today. What a call itself brings is counted when it has left: the last one may go beyond. */
  check(principal: Principal): Result<null> | Promise<Result<null>>;
  /** So many rows have left to the caller. */
  given(principal: Principal, rows: number | null): void;
}

export function createRowQuota(keyRows: KeyRows, config: () => Pick<Config, 'keyRowsPerDay'>, now: () => number): RowQuota {
  const verdict = (had: number, most: number): Result<null> => {
    if (had < most) return within;
    const resetsAt = nextDayAt(now());
    const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - now()) / 1000));
    return failed({ kind: 'RowsExceeded', most, had, resetsAt, retryAfterSeconds });
  };
  return {
    check: ({ means }) => {
      if (means.kind !== 'key') return within;
      const most = narrower(means.limits?.rowsPerDay, config().keyRowsPerDay);
      if (most === 0) return within;
      const had = keyRows.today(means.keyId);
      return typeof had === 'number' ? verdict(had, most) : had.then((count) => verdict(count, most));
    },
    given: ({ means }, rows) => {
      if (means.kind === 'key' && rows !== null && rows > 0) keyRows.add(means.keyId, rows);
    },
  };
}

const within = succeeded(null);

/** The same bytes; `ended` is called once: after the last of them, when they break, or when the reader leaves. Not if nobody read any. */
export function endTold(body: AsyncIterable<Uint8Array>, ended: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const source = body[Symbol.asyncIterator]();
      let left = false;
      const end = (): void => {
        if (left) ended();
        left = false;
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
