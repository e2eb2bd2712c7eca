import { Worker } from 'node:worker_threads';
import type { AuditFilter, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import { type ListPage, StoreError } from '../metadata-store.ts';
import type { AuditListRequest } from './audit-list.ts';
import type { Read, Reading } from './audit-reader-thread.ts';

export interface AuditReader {
  list(filter: AuditFilter, request: AuditListRequest): Promise<ListPage<RecordedAuditEntry>>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (page: ListPage<RecordedAuditEntry>) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads the audit trail of a SQLite file in a thread: SQLite reads synchronously, and a scan on the event loop would stop every call. */
export function auditReader(file: string): AuditReader {
  let running: { readonly worker: Worker; readonly waiting: Waiting[] } | null = null;

  function start() {
    const worker = new Worker(new URL('./audit-reader-thread.ts', import.meta.url), { workerData: { file }, execArgv: [] });
    worker.unref();
    const started = { worker, waiting: [] as Waiting[] };
    const lose = (cause?: unknown): void => {
      if (running === started) running = null;
      const error = new StoreError('unavailable', 'The reader of audit entries has ended.', { cause });
      for (const { reject } of started.waiting.splice(0)) reject(error);
    };
    worker.on('message', (read: Read) => {
      const first = started.waiting.shift();
      if ('page' in read) first?.resolve(read.page);
      else first?.reject(errorOf(read.problem));
    });
    worker.on('error', lose);
    worker.on('exit', () => lose());
    return started;
  }

  return {
    list: (filter, request) =>
      new Promise((resolve, reject) => {
        running ??= start();
        running.waiting.push({ resolve, reject });
        running.worker.postMessage({ filter, request } satisfies Reading);
      }),
    async close() {
      await running?.worker.terminate();
    },
  };
}

const errorOf = ({ kind, message }: Extract<Read, { problem: unknown }>['problem']): Error =>
  kind === null ? new TypeError(message) : new StoreError(kind, message);
