import { dayOf } from '../access/key-limits.ts';
import type { ApiKeyRepository } from '../store/metadata-store.ts';

export type KeyRows = ReturnType<typeof createKeyRows>;

interface Count {
  readonly day: number;
  unwritten: number;
  held: number; // by running calls
  stored: number | null; // as last read; null: not read
  usedAt: number;
}

const IDLE_MS = 60_000; // after that a key is forgotten

/**
 * How many rows each key received today. Counted in memory and written in batches; each write also reads the counts of other processes,
 * for keys with a limit.
 */
export function createKeyRows(apiKeys: Pick<ApiKeyRepository, 'addRows' | 'rowsOn'>, now: () => number) {
  const counts = new Map<string, Count>();
  let writing: Promise<void> = Promise.resolve();

  /** Drops the count of a previous day. */
  const countOf = (keyId: string): Count => {
    const day = dayOf(now());
    const known = counts.get(keyId);
    if (known?.day === day) return known;
    const count: Count = { day, unwritten: 0, held: 0, stored: null, usedAt: 0 };
    counts.set(keyId, count);
    return count;
  };
  const readStored = async (keyId: string, count: Count): Promise<number> => {
    count.stored = (await apiKeys.rowsOn(count.day, [keyId])).get(keyId) ?? 0;
    return count.stored + count.unwritten;
  };

  const forgetIdle = (): void => {
    const at = now();
    for (const [keyId, { day, unwritten, held, usedAt }] of counts) {
      if (day !== dayOf(at) || (unwritten === 0 && held === 0 && at - usedAt > IDLE_MS)) counts.delete(keyId);
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
      countOf(keyId).unwritten += rows;
    },
    /** The count of all processes, as last read. A promise only if this process has not read it yet. */
    today(keyId: string): number | Promise<number> {
      const count = countOf(keyId);
      count.usedAt = now();
      return count.stored === null ? readStored(keyId, count) : count.stored + count.unwritten;
    },
    /** Reserves rows for one call of this process while it runs. */
    reserve(keyId: string) {
      const count = countOf(keyId); // of this day: a reservation held over midnight is returned to the day that it was made
      let own = 0;
      return {
        /** The rows that the key received today, and those that its other calls have reserved. */
        others: () => ({ had: (count.stored ?? 0) + count.unwritten, held: count.held - own }),
        /** Replaces the previous reservation of this call. */
        hold(rows: number): void {
          count.held += rows - own;
          own = rows;
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
