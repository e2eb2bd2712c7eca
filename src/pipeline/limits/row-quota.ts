import { dayOf, resolveLimit, nextDayAt } from '../../access/api-key.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { type Lease, unlimited } from '../../core/concurrency/lease.ts';
import { failed, type Failure, FailureError, type Result, succeeded } from '../../core/errors.ts';
import type { ApiKeyRepository, LimitRepository } from '../../store/metadata-store.ts';

export type RowQuota = ReturnType<typeof createRowQuota>;

/** The rows of one call, reserved while it runs, so that parallel calls do not exceed the limit together. */
export interface RowAllowance extends Lease {
  /** Reserves up to `wanted` rows, at least one, and returns how many. Replaces the previous reservation. */
  hold(wanted: number): Promise<Result<number>>;
  /** Reserves all of these rows or throws a FailureError, for results that cannot be partial. */
  holdAll(wanted: number): Promise<void>;
  /** Counts the rows that were sent, and ends the reservation. */
  settle(rows: number): void;
}

/** Bounds the rows per day of each key. */
export function createRowQuota(keyRows: KeyRows, config: () => Pick<Config, 'keyRowsPerDay'>, now: () => number) {
  const limitOf = ({ authentication }: Principal): number =>
    authentication.kind === 'key' ? resolveLimit(authentication.limits?.rowsPerDay, config().keyRowsPerDay) : 0;

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
        if ((await reservation.hold(wanted, wanted)) < wanted) throw new FailureError(currentFailure());
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

export type KeyRows = ReturnType<typeof createKeyRows>;

interface Count {
  readonly keyId: string;
  readonly day: number;
  unwritten: number;
  held: number; // by running calls
  stored: number | null; // as last read; null: not read
  usedAt: number;
  lease: LeasedRows | null; // null: no limit, or not shared
}

/** What this process may use without asking: `unwritten` and `held` rows are part of it. */
interface LeasedRows {
  most: number; // the limit of the key
  rows: number;
  elsewhere: number; // rows that other processes hold, as last read
  needed: number; // by calls that wait
  asking: Promise<void> | null;
  emptyUntil: number;
}

/** How replicas keep the limits of a day together. */
export interface SharedRows {
  readonly limits: Pick<LimitRepository, 'holdRows'>;
  readonly process: string;
}

const IDLE_MS = 60_000; // after that a key is forgotten
const ASK_AGAIN_MS = 50;
const LEASES_A_DAY = 32; // three replicas hold less than a tenth of the limit that they do not use

/**
 * How many rows each key received today. Counted in memory and written in batches; each write also reads the counts of other processes,
 * for keys with a limit. Replicas take a part of the limit at a time from the store, so that together they never exceed it.
 */
export function createKeyRows(
  apiKeys: Pick<ApiKeyRepository, 'addRows' | 'rowsOn'>,
  now: () => number,
  shared: SharedRows | null = null,
) {
  const counts = new Map<string, Count>();
  let writing: Promise<void> = Promise.resolve();

  /** Drops the count of a previous day. */
  const countOf = (keyId: string): Count => {
    const day = dayOf(now());
    const known = counts.get(keyId);
    if (known?.day === day) return known;
    const count: Count = { keyId, day, unwritten: 0, held: 0, stored: null, usedAt: 0, lease: null };
    counts.set(keyId, count);
    return count;
  };
  const readStored = async (keyId: string, count: Count): Promise<number> => {
    count.stored = (await apiKeys.rowsOn(count.day, [keyId])).get(keyId) ?? 0;
    return count.stored + count.unwritten;
  };

  /** Writes what was counted and replaces the lease, one request at a time. */
  const ask = (count: Count, lease: LeasedRows, { limits, process }: SharedRows, spare: number): Promise<void> => {
    const request = async (): Promise<void> => {
      const { keyId, day, unwritten: added } = count;
      const wanted = count.held + lease.needed + spare;
      const { granted, had, others } = await limits.holdRows({ keyId, process, day, most: lease.most, added, wanted });
      count.unwritten -= added; // more may have been added meanwhile
      count.stored = had;
      lease.rows = granted;
      lease.elsewhere = others;
      if (granted < wanted) lease.emptyUntil = now() + ASK_AGAIN_MS;
    };
    lease.asking = request().finally(() => {
      lease.asking = null;
    });
    return lease.asking;
  };
  const spareOf = ({ most }: LeasedRows): number => Math.ceil(most / LEASES_A_DAY);
  const countUnused = ({ unwritten, held }: Count, { rows }: LeasedRows): number => rows - unwritten - held;

  /** Runs `use` when the lease has these rows more, or the store has none left. */
  const runLeased = async (
    count: Count,
    lease: LeasedRows,
    from: SharedRows,
    rows: () => number,
    use: () => number,
  ): Promise<number> => {
    const needed = rows();
    lease.needed += needed;
    try {
      for (;;) {
        while (lease.asking !== null) await lease.asking.catch(() => undefined);
        // synchronously, before another call can use them
        if (countUnused(count, lease) >= rows() || now() < lease.emptyUntil) return use();
        await ask(count, lease, from, spareOf(lease));
      }
    } finally {
      lease.needed -= needed;
    }
  };

  /** Writes the counts of shared limits, and returns what was not used since the last time. */
  const renew = async (from: SharedRows, day: number): Promise<void> => {
    for (const count of [...counts.values()]) {
      const { lease } = count;
      if (lease === null || count.day !== day || (lease.rows === 0 && count.unwritten === 0)) continue;
      while (lease.asking !== null) await lease.asking.catch(() => undefined);
      const isInUse = count.held > 0 || count.unwritten > 0;
      await ask(count, lease, from, isInUse ? Math.min(spareOf(lease), Math.max(0, countUnused(count, lease))) : 0);
    }
  };

  const forgetIdle = (): void => {
    const at = now();
    for (const [keyId, { day, unwritten, held, usedAt }] of counts) {
      if (day !== dayOf(at) || (unwritten === 0 && held === 0 && at - usedAt > IDLE_MS)) counts.delete(keyId);
    }
  };
  const write = async (): Promise<void> => {
    const day = dayOf(now());
    if (shared !== null) await renew(shared, day);
    const added = [...counts.values()].filter((count) => count.day === day && count.unwritten > 0 && count.lease === null);
    const batch = added.map(({ keyId: id, unwritten: rows }) => ({ id, rows }));
    if (batch.length > 0) await apiKeys.addRows(day, batch);
    for (const [index, { rows }] of batch.entries()) {
      const count = added[index];
      if (count === undefined) continue;
      count.unwritten -= rows; // more may have been added meanwhile
      if (count.stored !== null) count.stored += rows;
    }
    forgetIdle();
    const limited = [...counts].filter(([, { stored }]) => stored !== null);
    if (limited.length === 0) return;
    const totals = await apiKeys.rowsOn(
      day,
      limited.map(([id]) => id),
    );
    for (const [id, count] of limited) if (count.day === day) count.stored = totals.get(id) ?? 0;
  };

  return {
    add(keyId: string, rows: number): void {
      if (rows > 0) countOf(keyId).unwritten += rows;
    },
    /** The count of all processes, as last read. */
    async today(keyId: string): Promise<number> {
      const count = countOf(keyId);
      count.usedAt = now();
      return count.stored === null ? readStored(keyId, count) : count.stored + count.unwritten;
    },
    /** Reserves rows for one call of this process while it runs, of a key that may have `most` a day. */
    reserve(keyId: string, most: number) {
      const count = countOf(keyId); // of this day: a reservation held over midnight is returned to the day that it was made
      const lease = shared === null ? null : leaseOf(count, most);
      let own = 0;
      const had = (): number => (count.stored ?? 0) + count.unwritten;
      const free = (): number => (lease === null ? most - had() - count.held : countUnused(count, lease)) + own;
      const use = (wanted: number, least: number): number => {
        const rows = Math.min(wanted, free());
        if (rows < least) return 0;
        count.held += rows - own;
        own = rows;
        return rows;
      };
      return {
        /** The rows that the key received today, and those that its other calls have reserved. */
        countOthers: () => ({ had: had(), held: count.held - own + (lease?.elsewhere ?? 0) }),
        /** Whether the calls of this process use up the limit. */
        isFull: (): boolean => had() + count.held - own >= most,
        /** Replaces the previous reservation of this call by up to `wanted` rows; returns 0 and keeps it if there are fewer than `least`. */
        async hold(wanted: number, least = 1): Promise<number> {
          if (shared === null || lease === null || (lease.asking === null && wanted <= free())) return use(wanted, least);
          return runLeased(
            count,
            lease,
            shared,
            () => wanted - own,
            () => use(wanted, least),
          );
        },
        /** Counts the rows that were sent, today, and releases the others. */
        settle(rows: number): void {
          count.held -= own;
          own = 0;
          countOf(keyId).unwritten += rows;
          if (shared === null || lease === null || lease.asking !== null) return;
          const left = most - (count.stored ?? 0) - lease.elsewhere - lease.rows; // in the store
          // other replicas may need what this call has reserved beyond its rows
          if (left < spareOf(lease) && countUnused(count, lease) > 2 * spareOf(lease))
            void ask(count, lease, shared, spareOf(lease)).catch(() => undefined);
        },
      };
    },
    flush(): Promise<void> {
      const turn = writing.then(write); // one at a time: two would write the same rows
      writing = turn.catch(() => undefined);
      return turn;
    },
  };
}

function leaseOf(count: Count, most: number): LeasedRows {
  count.lease ??= { most, rows: 0, elsewhere: 0, needed: 0, asking: null, emptyUntil: 0 };
  count.lease.most = most;
  return count.lease;
}
