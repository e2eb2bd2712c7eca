import type { AuditEntry } from '../../audit/audit-entry.ts';
import { StoreError } from '../metadata-store.ts';
import type { Problem } from './audit-writer-thread.ts';
import { orderedWorker } from './ordered-worker.ts';
import { storeErrorOf } from './store-errors.ts';

export type AuditWriter = ReturnType<typeof auditWriter>;

/**
 * Writes audit entries to a SQLite file from a separate thread: a commit waits for the disk and for other processes that write, and
 * must not block the event loop meanwhile.
 */
export function auditWriter(file: string) {
  const thread = orderedWorker<string, Problem | null>(new URL('./audit-writer-thread.ts', import.meta.url), { file }, (cause) =>
    cause === undefined ? new StoreError('unavailable', 'The audit writer has ended.') : storeErrorOf(cause, 'insert'),
  );
  return {
    /** One commit for all of them. */
    async append(entries: readonly AuditEntry[]): Promise<void> {
      const problem = await thread.request(JSON.stringify(entries)); // cloning many small objects takes several times as long
      if (problem !== null) throw errorOf(problem);
    },
    close: thread.close,
  };
}

function errorOf({ message, errcode }: Problem): unknown {
  return errcode === null ? new TypeError(message) : storeErrorOf(Object.assign(new Error(message), { errcode }), 'insert');
}
