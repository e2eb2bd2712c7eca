import { Worker } from 'node:worker_threads';
import type { AuditEntry, AuditFilter, RecordedAuditEntry } from '../../../audit/audit-entry.ts';
import { type CallersRequest, type ListPage, type QueryCallers, StoreError } from '../../metadata-store.ts';
import type { AuditListRequest } from './audit-list.ts';
import type { AuditFile, ReadRequest, ReadResponse } from './audit-reader-thread.ts';
import { errorOf, type Outcome } from './respond-with.ts';

interface Running<Response> {
  readonly worker: Worker;
  readonly pending: PromiseWithResolvers<Response>[];
}

/**
 * A worker thread that responds to requests in order. It starts with the first request. `toEndedError` makes the error of requests whose
 * thread has ended.
 */
function createOrderedWorker<Request, Response>(file: URL, workerData: unknown, toEndedError: (cause?: unknown) => unknown) {
  let running: Running<Response> | null = null;

  function start(): Running<Response> {
    const worker = new Worker(file, { workerData, execArgv: [] });
    worker.unref();
    const started: Running<Response> = { worker, pending: [] };
    const onEnded = (cause?: unknown): void => {
      if (running === started) running = null;
      for (const { reject } of started.pending.splice(0)) reject(toEndedError(cause));
    };
    worker.on('message', (outcome: Outcome<Response>) => {
      const request = started.pending.shift();
      if ('problem' in outcome) request?.reject(errorOf(outcome.problem));
      else request?.resolve(outcome.response);
    });
    worker.on('error', onEnded);
    worker.on('exit', () => onEnded());
    return started;
  }

  return {
    /** Rejects if the thread ends before it responds; the next request then starts another thread. */
    request(message: Request): Promise<Response> {
      running ??= start();
      const response = Promise.withResolvers<Response>();
      running.pending.push(response);
      running.worker.postMessage(message);
      return response.promise;
    },
    /** Ends the thread if no request is pending. */
    endIfIdle(): void {
      if (running === null || running.pending.length > 0) return;
      void running.worker.terminate();
      running = null;
    },
    async close(): Promise<void> {
      await running?.worker.terminate();
    },
  };
}

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

const IDLE_MS = 60_000; // the thread takes about 30 MB

/** Reads the audit trail of SQLite in a thread, because a scan would block the event loop. It ends after a minute without a request. */
export function auditReader(audit: AuditFile, idleMs = IDLE_MS) {
  const thread = createOrderedWorker<ReadRequest, ReadResponse>(
    new URL('./audit-reader-thread.ts', import.meta.url),
    audit,
    (cause) => new StoreError('unavailable', 'The audit reader has ended.', { cause }),
  );
  let idle: NodeJS.Timeout | undefined;
  const read = async (request: ReadRequest): Promise<ReadResponse> => {
    const response = await thread.request(request);
    clearTimeout(idle);
    idle = setTimeout(thread.endIfIdle, idleMs).unref();
    return response;
  };
  const mismatch = () => new TypeError('The audit reader responded to another request.');

  return {
    async list(filter: AuditFilter, request: AuditListRequest): Promise<ListPage<RecordedAuditEntry>> {
      const response = await read({ list: { filter, request } });
      if ('page' in response) return response.page;
      throw mismatch();
    },
    async readCallers(request: CallersRequest): Promise<QueryCallers> {
      const response = await read({ callers: request });
      if ('callers' in response) return response;
      throw mismatch();
    },
    async close(): Promise<void> {
      clearTimeout(idle);
      await thread.close();
    },
  };
}
