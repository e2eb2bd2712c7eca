import type { AuditEntry } from '../../../audit/audit-entry.ts';
import { StoreError } from '../../metadata-store.ts';
import { createOrderedWorker } from '../threads/ordered-worker.ts';

export type AuditWriter = ReturnType<typeof auditWriter>;

/** A JSON list of audit entries to commit. */
export type Batch = string;

export const sqliteAuditWriter = (file: string) => auditWriter(new URL('../sqlite/audit-thread.ts', import.meta.url), { file });

export const postgresAuditWriter = (url: string) => auditWriter(new URL('../postgres/audit-thread.ts', import.meta.url), { url });

/**
 * Writes audit entries in a separate thread, because every call waits for its own: on SQLite a commit waits for the disk and for other
 * processes that write, and must not block the event loop meanwhile; on PostgreSQL the rows take a tenth of the time of a small call to build and send.
 */
function auditWriter(thread: URL, workerData: unknown) {
  const worker = createOrderedWorker<Batch, null>(
    thread,
    workerData,
    (cause) => new StoreError('unavailable', 'The audit writer has ended.', { cause }),
  );
  return {
    /** One commit for all of them. */
    async append(entries: readonly AuditEntry[]): Promise<void> {
      if (entries.length > 0) await worker.request(JSON.stringify(entries)); // cloning many small objects takes several times as long
    },
    close: worker.close,
  };
}
