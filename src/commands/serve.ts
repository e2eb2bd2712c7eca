import cluster from 'node:cluster';
import type { Config } from '../config/config.ts';
import { createLog, openService, type Service, startService } from '../main.ts';
import { findNativeProblems } from '../operations/native-packages.ts';
import { announcePassword, announceReady } from './announce.ts';
import { buildMissingAssets } from './build-assets.ts';
import { superviseWorkers } from './supervise-workers.ts';

/** Runs until SIGTERM or SIGINT, then drains and exits with 0. */
export async function serve(config: Config): Promise<void> {
  if (cluster.isWorker) return await serveAsWorker(config);
  await buildMissingAssets((line) => process.stdout.write(`${line}\n`));
  void warnOfNativeProblems(config);
  if (config.workers > 1) return await superviseWorkers(config);
  const service = await startService(config, createLog(config), announcePassword);
  closeOnSignal(service);
  announceReady(service.url);
}

/** In parallel to the start. */
async function warnOfNativeProblems(config: Config): Promise<void> {
  const problems = await findNativeProblems();
  if (problems.length === 0) return;
  const log = createLog(config);
  for (const { message } of problems) log.warn(message);
}

async function serveAsWorker(config: Config): Promise<void> {
  const service = await openService(config);
  closeOnSignal(service);
  process.send?.({ url: service.url });
}

function closeOnSignal(service: Service): void {
  let closing = false;
  const close = async (): Promise<void> => {
    if (closing) return; // a terminal and npm may both forward the same Ctrl-C
    closing = true;
    await service.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void close());
}
