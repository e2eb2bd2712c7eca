import type { AuditEntry } from '../audit/audit-entry.ts';

export interface AuditLog {
  /** Resolves when the entry is committed; rejects when it could not be, and then the call must fail. */
  append(entry: AuditEntry): Promise<void>;
  /** Resolves when everything appended so far is committed. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const LARGEST_COMMIT = 500;

/** Entries of concurrent calls share a commit: while one is under way the next batch gathers. */
export function createAuditLog(commit: (entries: readonly AuditEntry[]) => Promise<void>): AuditLog {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;

  async function drain(): Promise<void> {
    // calls that arrived in the same turn of the event loop ride along
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.slice(0, LARGEST_COMMIT);
      waiting = waiting.slice(LARGEST_COMMIT);
      try {
        await commit(batch.map((each) => each.entry));
        for (const each of batch) each.resolve();
      } catch (error) {
        for (const each of batch) each.reject(error);
      }
    }
    running = null;
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
