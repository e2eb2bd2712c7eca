import type { AuditFilter, RecordedAuditEntry } from '../../../audit/audit-entry.ts';
import { type ListPage, StoreError } from '../../metadata-store.ts';
import { createOrderedWorker } from '../threads/ordered-worker.ts';
import type { AuditListRequest } from './audit-list.ts';
import type { AuditFile, ReadRequest } from './audit-reader-thread.ts';

const IDLE_MS = 60_000; // the thread takes about 30 MB

/** Reads the audit trail of SQLite in a thread, because a scan would block the event loop. It ends after a minute without a request. */
export function auditReader(audit: AuditFile, idleMs = IDLE_MS) {
  const thread = createOrderedWorker<ReadRequest, ListPage<RecordedAuditEntry>>(
    new URL('./audit-reader-thread.ts', import.meta.url),
    audit,
    (cause) => new StoreError('unavailable', 'The audit reader has ended.', { cause }),
  );
  let idle: NodeJS.Timeout | undefined;

  return {
    async list(filter: AuditFilter, request: AuditListRequest): Promise<ListPage<RecordedAuditEntry>> {
      const page = await thread.request({ filter, request });
      clearTimeout(idle);
      idle = setTimeout(thread.endIfIdle, idleMs).unref();
      return page;
    },
    async close(): Promise<void> {
      clearTimeout(idle);
      await thread.close();
    },
  };
}
