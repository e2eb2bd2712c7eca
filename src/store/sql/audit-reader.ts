import type { AuditFilter, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import { type ListPage, StoreError } from '../metadata-store.ts';
import type { AuditListRequest } from './audit-list.ts';
import type { AuditTrail, ReadRequest, ReadResponse } from './audit-reader-thread.ts';
import { orderedWorker } from './ordered-worker.ts';

const IDLE_MS = 60_000; // the thread takes about 30 MB

/** Reads the audit trail in a thread, because scans and the search index would block the event loop. It ends after a minute without a request. */
export function auditReader(trail: AuditTrail, idleMs = IDLE_MS) {
  const thread = orderedWorker<ReadRequest, ReadResponse>(
    new URL('./audit-reader-thread.ts', import.meta.url),
    trail,
    (cause) => new StoreError('unavailable', 'The audit reader has ended.', { cause }),
  );
  let idle: NodeJS.Timeout | undefined;

  async function read(request: ReadRequest): Promise<ReadResponse> {
    const response = await thread.request(request);
    clearTimeout(idle);
    idle = setTimeout(thread.endIfIdle, idleMs).unref();
    return response;
  }

  return {
    async list(filter: AuditFilter, request: AuditListRequest): Promise<ListPage<RecordedAuditEntry>> {
      const response = await read({ filter, request });
      return 'page' in response ? response.page : unexpected();
    },
    async indexNext(): Promise<boolean> {
      const response = await read('index');
      return 'more' in response ? response.more : unexpected();
    },
    async close(): Promise<void> {
      clearTimeout(idle);
      await thread.close();
    },
  };
}

const unexpected = (): never => {
  throw new TypeError('The audit reader sent an unexpected response.');
};
