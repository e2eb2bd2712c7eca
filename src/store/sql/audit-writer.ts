import { Worker } from 'node:worker_threads';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import { StoreError } from '../metadata-store.ts';
import { auditRowOf } from './audit-row.ts';
import type { Problem, Setup } from './audit-thread.ts';
import { withoutNul } from './parameters.ts';
import { patienceMs } from './sqlite-database.ts';
import { storeErrorOf } from './store-errors.ts';

export interface AuditWriter {
  /** One commit for all of them. */
  append(entries: readonly AuditEntry[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes audit entries to a SQLite file from a thread of its own: a commit waits for the disk, and for other processes that write,
 * and meanwhile the event loop goes on. The thread starts with the first entry.
 */
export function auditWriter(file: string): AuditWriter {
  let running: Running | null = null;

  function start(columns: readonly string[]): Running {
    const workerData: Setup = { file, columns, patienceMs };
    const worker = new Worker(new URL('./audit-thread.ts', import.meta.url), { workerData, execArgv: [] });
    worker.unref();
    const started: Running = { worker, waiting: [] };
    const lose = (error: unknown): void => {
      if (running === started) running = null;
      for (const { reject } of started.waiting.splice(0)) reject(error);
    };
    worker.on('message', (problem: Problem | null) => {
      const first = started.waiting.shift();
      if (problem === null) first?.resolve();
      else first?.reject(errorOf(problem));
    });
    worker.on('error', (error) => lose(storeErrorOf(error, 'insert')));
    worker.on('exit', () => lose(new StoreError('unavailable', 'The writer of audit entries has ended.')));
    return started;
  }

  return {
    append: (entries) =>
      new Promise((resolve, reject) => {
        const rows = entries.map(auditRowOf);
        running ??= start(Object.keys(rows[0] ?? {}));
        running.waiting.push({ resolve, reject });
        running.worker.postMessage(textOf(rows.map((row) => Object.values(row))));
      }),
    async close() {
      await running?.worker.terminate();
    },
  };
}

/** As one text: to clone many small objects takes several times as long. */
function textOf(rows: readonly (readonly unknown[])[]): string {
  const text = JSON.stringify(rows);
  return text.includes('\\u0000') ? JSON.stringify(rows.map(withoutNul)) : text;
}

interface Running {
  readonly worker: Worker;
  readonly waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];
}

function errorOf({ message, errcode }: Problem): unknown {
  return errcode === null ? new TypeError(message) : storeErrorOf(Object.assign(new Error(message), { errcode }), 'insert');
}
