import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

interface MetricsMessage {
  readonly metricsId: number;
  readonly metrics: string | null; // null: requested, or a worker did not respond
}

const isMetricsMessage = (message: unknown): message is MetricsMessage =>
  typeof message === 'object' && message !== null && 'metricsId' in message && 'metrics' in message;

/** Responds to a worker with the metrics of all workers together. */
export function serveMetrics(worker: Worker, all: { clusterMetrics(): Promise<string> }): void {
  worker.on('message', async (message: unknown) => {
    if (!isMetricsMessage(message)) return;
    const metrics = await all.clusterMetrics().catch(() => null);
    worker.send({ ...message, metrics }, () => undefined); // a worker that has ended needs no response
  });
}

/** The metrics of all workers by the parent process: a scrape may reach any of them. */
export function connectWorkerMetrics(own: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(own);
  new AggregatorRegistry(); // sends them to the parent process
  const waiting = new Map<number, (metrics: string | null) => void>();
  let lastId = 0;
  process.on('message', (message: unknown) => {
    if (!isMetricsMessage(message)) return;
    waiting.get(message.metricsId)?.(message.metrics);
    waiting.delete(message.metricsId);
  });
  return async () => {
    const metrics = await new Promise<string | null>((resolve) => {
      const metricsId = ++lastId;
      waiting.set(metricsId, resolve);
      process.send?.({ metricsId, metrics: null });
    });
    if (metrics === null) throw new Error('A worker did not report its metrics');
    return metrics;
  };
}
