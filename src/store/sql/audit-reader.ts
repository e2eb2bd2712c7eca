import type { AuditFilter, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import { type ListPage, StoreError } from '../metadata-store.ts';
import type { AuditListRequest } from './audit-list.ts';
import type { ReadRequest, ReadResponse } from './audit-reader-thread.ts';
import { orderedWorker } from './ordered-worker.ts';

const IDLE_MS = 60_000; // the thread takes about 30 MB

/**
 * Reads the audit trail of a SQLite file in a thread: SQLite reads synchronously, and a scan would block the event loop. The thread
 * ends after a minute without a request.
 */
export function auditReader(file: string, idleMs = IDLE_MS) {
  const thread = orderedWorker<ReadRequest, ReadResponse>(
    new URL('./audit-reader-thread.ts', import.meta.url),
    { file },
    (cause) => new StoreError('unavailable', 'The audit reader has ended.', { cause }),
  );
  let idle: NodeJS.Timeout | undefined;

  async function read(request: ReadRequest): Promise<ReadResponse> {
    const response = await thread.request(request);
    clearTimeout(idle);
    idle = setTimeout(thread.endIfIdle, idleMs).unref();
    if (!('problem' in response)) return response;
    const { kind, message } = response.problem;
    throw kind === null ? new TypeError(message) : new StoreError(kind, message);
  }

  return {
    async list(filter: AuditFilter, request: AuditListRequest): Promise<ListPage<RecordedAuditEntry>> {
      const response = await read({ filter, request });
      return 'page' in response ? response.page : unexpected();
    },
    /** In the thread as well, because it reads and computes for some milliseconds. */
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
