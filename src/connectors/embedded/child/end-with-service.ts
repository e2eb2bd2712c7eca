import { Worker } from 'node:worker_threads';

/**
 * Ends this process when the service ends, however it ends: standard input is a pipe that the service holds open. A thread watches it, because
 * the engine may block the main one. The code of the thread is text, because a file would be compiled again in every process.
 */
export function endWithService(): void {
  // a terminal sends these to the children of the service too, but the service decides when they end
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const watch = `
    const { Socket } = require('node:net');
    const lifeline = new Socket({ fd: 0, readable: true, writable: false });
    lifeline.on('error', () => {});
    lifeline.on('close', () => process.kill(process.pid, 'SIGKILL'));
    lifeline.resume();`;
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2, codeRangeSizeMb: 4 };
  const worker = new Worker(watch, { eval: true, resourceLimits });
  worker.unref();
}
