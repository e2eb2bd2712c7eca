import { setImmediate } from 'node:timers/promises';
import type { AuditEntry } from '../audit/audit-entry.ts';
import { StoreError } from '../store/metadata-store.ts';

export interface AuditLog {
  /**
   * Resolves when the entry is committed; rejects when it could not be, and then the call must fail. Entries of callers without a valid
   * credential may be counted instead (`createUnknownCallers`).
   */
  append(entry: AuditEntry, caller?: 'unknown'): Promise<void>;
  /** Resolves when everything appended so far is committed. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const LARGEST_COMMIT = 500;
const GATHERING_TURNS = 10; // enough for calls whose rows are about to arrive
const GATHERING_MS = 5;

export interface EventLoop {
  now(): number; // milliseconds, monotonic
  /** Resolves in the next turn. */
  yieldTurn(): Promise<void>;
}

const nodeEventLoop: EventLoop = { now: () => performance.now(), yieldTurn: () => setImmediate() };

/** Entries of concurrent calls share a commit: while one runs, the next batch is gathered. */
export function createAuditLog(
  commit: (entries: readonly AuditEntry[]) => Promise<void>,
  { now, yieldTurn: nextTurn }: EventLoop = nodeEventLoop,
): AuditLog {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;
  let lastBatch = 1;

  /** Waits for calls of the same turn of the event loop, and some turns more until the batch is as large as the previous one. */
  async function gather(): Promise<void> {
    const end = now() + GATHERING_MS;
    let turns = 0;
    do await nextTurn();
    while (++turns < GATHERING_TURNS && waiting.length < lastBatch && now() < end);
    lastBatch = Math.min(waiting.length, LARGEST_COMMIT);
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      const batch = waiting.slice(0, LARGEST_COMMIT);
      waiting = waiting.slice(LARGEST_COMMIT);
      await settle(batch);
    }
    running = null;
  }

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      await commit(batch.map((each) => each.entry));
      for (const each of batch) each.resolve();
    } catch (error) {
      // an entry that cannot be written must not fail the calls that shared its commit
      if (batch.length > 1 && !(error instanceof StoreError)) for (const each of batch) await settle([each]);
      else for (const each of [...batch, ...(isUnavailable(error) ? waiting.splice(0) : [])]) each.reject(error);
    }
  }

  return {
    append: (entry) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, resolve, reject });
        running ??= drain();
      }),
    flush: async () => {
      while (running !== null) await running;
    },
  };
}

/** Calls that arrived meanwhile have already waited for the store: they fail too instead of waiting as long again. */
const isUnavailable = (error: unknown): boolean => error instanceof StoreError && error.kind === 'unavailable';
