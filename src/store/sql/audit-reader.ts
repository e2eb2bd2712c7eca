import { Worker } from 'node:worker_threads';
import type { AuditFilter, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import { type ListPage, StoreError } from '../metadata-store.ts';
import type { AuditListRequest } from './audit-list.ts';
import type { Read, Reading } from './audit-reader-thread.ts';

export interface AuditReader {
  list(filter: AuditFilter, request: AuditListRequest): Promise<ListPage<RecordedAuditEntry>>;
  /** In the thread as well, because it reads and computes for some milliseconds. */
  indexNext(): Promise<boolean>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (read: Read) => void;
  readonly reject: (error: unknown) => void;
}

const IDLE_MS = 60_000; // the thread takes about 30 MB

/**
 * Reads the audit trail of a SQLite file in a thread: SQLite reads synchronously, and a scan on the event loop would stop every call. The
 * thread starts with the first request and ends after a minute without one.
 */
export function auditReader(file: string, idleMs = IDLE_MS): AuditReader {
  let running: { readonly worker: Worker; readonly waiting: Waiting[] } | null = null;
  let idle: NodeJS.Timeout | undefined;

  function endWhenIdle(): void {
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (running === null || running.waiting.length > 0) return;
      void running.worker.terminate();
      running = null;
    }, idleMs).unref();
  }

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
      if ('problem' in read) first?.reject(errorOf(read.problem));
      else first?.resolve(read);
      endWhenIdle();
    });
    worker.on('error', lose);
    worker.on('exit', () => lose());
    return started;
  }

  const ask = (reading: Reading): Promise<Read> =>
    new Promise((resolve, reject) => {
      running ??= start();
      running.waiting.push({ resolve, reject });
      running.worker.postMessage(reading);
    });

  return {
    async list(filter, request) {
      const read = await ask({ filter, request });
      return 'page' in read ? read.page : unexpected();
    },
    async indexNext() {
      const read = await ask('index');
      return 'more' in read ? read.more : unexpected();
    },
    async close() {
      clearTimeout(idle);
      await running?.worker.terminate();
    },
  };
}

const unexpected = (): never => {
  throw new TypeError('The reader of audit entries sent another response than the one expected.');
};

const errorOf = ({ kind, message }: Extract<Read, { problem: unknown }>['problem']): Error =>
  kind === null ? new TypeError(message) : new StoreError(kind, message);
