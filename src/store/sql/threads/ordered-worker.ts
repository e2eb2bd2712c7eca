import { Worker } from 'node:worker_threads';
import { errorOf, type Outcome } from './ordered-worker-thread.ts';

interface Running<Response> {
  readonly worker: Worker;
  readonly pending: PromiseWithResolvers<Response>[];
}

/**
 * A worker thread that responds to requests in order. It starts with the first request. `toEndedError` makes the error of requests whose
 * thread has ended.
 */
export function createOrderedWorker<Request, Response>(
  file: URL,
  workerData: unknown,
  toEndedError: (cause?: unknown) => unknown,
) {
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
