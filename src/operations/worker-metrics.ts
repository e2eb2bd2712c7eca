import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { connectToParent, serveRequests } from './worker-requests.ts';

/** Responds to a worker with the metrics of all workers together. */
export function serveMetrics(worker: Worker, all: { clusterMetrics(): Promise<string> }): void {
  serveRequests(worker, 'metrics', () => all.clusterMetrics().catch(() => null)); // null: a worker did not respond
}

/** The metrics of all workers by the parent process: a scrape may reach any of them. */
export function connectWorkerMetrics(own: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(own);
  new AggregatorRegistry(); // sends them to the parent process
  const ask = connectToParent<null, string | null>('metrics');
  return async () => {
    const metrics = await ask(null);
    if (metrics === null) throw new Error('A worker did not report its metrics');
    return metrics;
  };
}
