import { dayOf } from '../access/key-limits.ts';
import type { ApiKeyRepository } from '../store/metadata-store.ts';

/**
 * How many rows each key has had today. Counted in memory and written now and then, as the uses of keys are; what other processes wrote
 * comes back on that occasion, for the keys that somebody asks about.
 */
export interface KeyRows {
  add(keyId: string, rows: number): void;
  /** Of all processes, as far as it is known here. A promise only where this process has not asked the store yet. */
  today(keyId: string): number | Promise<number>;
  /** For one call: rows are kept free for it in this process while it runs. */
  reserve(keyId: string): RowReservation;
  flush(): Promise<void>;
}

export interface RowReservation {
  /** What the key has had today, and what other calls of it hold. */
  others(): { readonly had: number; readonly held: number };
  /** Replaces what this call held before. */
  hold(rows: number): void;
}

interface Count {
  readonly day: number;
  unwritten: number;
  held: number; // by calls that run
  stored: number | null; // as last heard; null: not asked for
  askedAt: number;
}

const ASKED_FOR_MS = 60_000; // who calls no more is forgotten, and asked for anew

export function createKeyRows(apiKeys: Pick<ApiKeyRepository, 'addRows' | 'rowsOn'>, now: () => number): KeyRows {
  const counts = new Map<string, Count>();
  let writing: Promise<void> = Promise.resolve();

  /** What is left of yesterday is dropped: nobody asks for it any more. */
  const countOf = (keyId: string): Count => {
    const day = dayOf(now());
    const known = counts.get(keyId);
    if (known?.day === day) return known;
    const count: Count = { day, unwritten: 0, held: 0, stored: null, askedAt: 0 };
    counts.set(keyId, count);
    return count;
  };
  const ask = async (keyId: string, count: Count): Promise<number> => {
    count.stored = (await apiKeys.rowsOn(count.day, [keyId])).get(keyId) ?? 0;
    return count.stored + count.unwritten;
  };

  const forgetIdle = (): void => {
    const at = now();
    for (const [keyId, { day, unwritten, held, askedAt }] of counts) {
      if (day !== dayOf(at) || (unwritten === 0 && held === 0 && at - askedAt > ASKED_FOR_MS)) counts.delete(keyId);
    }
  };
  const write = async (): Promise<void> => {
    const day = dayOf(now());
    const added = [...counts].flatMap(([id, count]) => (count.day === day && count.unwritten > 0 ? [{ id, count }] : []));
    const batch = added.map(({ id, count }) => ({ id, rows: count.unwritten }));
    if (batch.length > 0) await apiKeys.addRows(day, batch);
    for (const [index, { rows }] of batch.entries()) {
      const count = added[index]?.count;
      if (count === undefined) continue;
      count.unwritten -= rows; // more may have come meanwhile
      if (count.stored !== null) count.stored += rows;
    }
    forgetIdle();
    const watched = [...counts].filter(([, { stored }]) => stored !== null);
    if (watched.length === 0) return;
    const totals = await apiKeys.rowsOn(
      day,
      watched.map(([id]) => id),
    );
    for (const [id, count] of watched) if (count.day === day) count.stored = totals.get(id) ?? 0;
  };

  return {
    add: (keyId, rows) => {
      countOf(keyId).unwritten += rows;
    },
    today: (keyId) => {
      const count = countOf(keyId);
      count.askedAt = now();
      return count.stored === null ? ask(keyId, count) : count.stored + count.unwritten;
    },
    reserve: (keyId) => {
      const count = countOf(keyId); // of this day: what is held over midnight is given back to the day that it was taken from
      let own = 0;
      return {
        others: () => ({ had: (count.stored ?? 0) + count.unwritten, held: count.held - own }),
        hold: (rows) => {
          count.held += rows - own;
          own = rows;
        },
      };
    },
    flush: () => {
      const turn = writing.then(write); // never two at once: they would write the same rows
      writing = turn.catch(() => undefined);
      return turn;
    },
  };
}
