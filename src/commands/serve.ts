import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Service } from '../main.ts';
import { lockInstallation } from '../operations/data-folder.ts';
import { createLog } from '../operations/log.ts';
import { findNativeProblems } from '../operations/native-packages.ts';
import { createWorkerLimits, serveLimits } from '../operations/worker-limits.ts';
import { serveMetrics } from '../operations/worker-metrics.ts';
import { buildMissingAssets } from './build-assets.ts';

/** Runs until SIGTERM or SIGINT, then drains and exits with 0. */
export async function serve(config: Config): Promise<void> {
  if (cluster.isWorker) return await serveAsWorker(config);
  if (config.workers > 1) return await superviseWorkers(config);
  const { startService } = await prepareProgram(config);
  const service = await startService(config, createLog(config), announcePassword);
  closeOnSignal(service);
  announceReady(service.url);
}

/** The first worker prepares the installation, so that the process that supervises them stays small. */
async function serveAsWorker(config: Config): Promise<void> {
  const isFirst = cluster.worker?.id === 1;
  const { openService, prepareInstallation } = isFirst ? await prepareProgram(config) : await import('../main.ts');
  const log = createLog(config);
  if (isFirst) await prepareInstallation(config, log, announcePassword);
  const service = await openService(config, log);
  closeOnSignal(service);
  process.send?.({ url: service.url });
}

async function prepareProgram(config: Config) {
  await buildMissingAssets((line) => process.stdout.write(`${line}\n`));
  const program = await import('../main.ts'); // fails without the packages that every start needs
  void warnOfNativeProblems(config);
  return program;
}

/** In parallel to the start. */
async function warnOfNativeProblems(config: Config): Promise<void> {
  const problems = await findNativeProblems();
  if (problems.length === 0) return;
  const log = createLog(config);
  for (const { message } of problems) log.warn(message);
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

const SHORT_LIFE_MS = 10_000;
const MAX_PAUSE_MS = 30_000;
const STOP_MARGIN_MS = 10_000;

/** Runs several processes on one port: starts, replaces and stops the workers, and keeps the limits and metrics that they share. */
export async function superviseWorkers(config: Config): Promise<void> {
  const log = createLog(config);
  // workers accept connections themselves (see open-doors.ts): with round-robin, a connection handed to a dying worker would hang
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // workers share the calls, so each fills its young generation more slowly: half of the size takes some 35 MiB less for two of them
  cluster.setupPrimary({ execArgv: [...process.execArgv, '--max-semi-space-size=8'] });
  const release = lockInstallation(config);
  const limits = createWorkerLimits();
  const metrics = new AggregatorRegistry();
  // resolves port 0 once, so that all workers use the same port, including later ones
  const port = await freePort(config);
  const workers = new Set<Worker>();
  let started = false;
  let stopping = false;
  let shortLives = 0;

  const start = async (): Promise<string | null> => {
    const worker = cluster.fork({ SLUICE_PORT: String(port) });
    const startedAt = Date.now();
    workers.add(worker);
    serveLimits(worker, limits);
    serveMetrics(worker, metrics);
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      if (stopping || !started) return;
      shortLives = Date.now() - startedAt < SHORT_LIFE_MS ? shortLives + 1 : 0;
      log.warn({ worker: worker.process.pid, code, signal }, 'A worker ended and will be replaced');
      void replace();
    });
    return urlOf(worker);
  };
  const replace = async (): Promise<void> => {
    if (shortLives > 1) await sleep(Math.min(100 * 2 ** shortLives, MAX_PAUSE_MS));
    if (!stopping) await start();
  };
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await stopAll(workers, config.drainSeconds * 1000 + STOP_MARGIN_MS);
    release();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());

  // start a single worker first, so that a configuration error is reported once
  const url = await start();
  const others = url === null ? [null] : await Promise.all(Array.from({ length: config.workers - 1 }, start));
  if (stopping) return;
  if (url === null || others.includes(null)) {
    await stopAll(workers, 0);
    process.exit(1); // the worker has reported the reason
  }
  started = true;
  for (let missing = config.workers - workers.size; missing > 0; missing--) void replace();
  announceReady(url);
}

/** Null if it exits before it is ready. */
function urlOf(worker: Worker): Promise<string | null> {
  return new Promise((resolve) => {
    worker.on('message', (message: unknown) => {
      if (isReady(message)) resolve(message.url);
    });
    worker.once('exit', () => resolve(null));
  });
}

const isReady = (message: unknown): message is { url: string } =>
  typeof message === 'object' && message !== null && 'url' in message && typeof message.url === 'string';

async function stopAll(workers: ReadonlySet<Worker>, timeoutMs: number): Promise<void> {
  const all = [...workers];
  const ended = all.map((worker) => (worker.isDead() ? null : once(worker, 'exit')));
  for (const worker of all) worker.process.kill('SIGTERM');
  const late = setTimeout(() => {
    for (const worker of all) if (!worker.isDead()) worker.process.kill('SIGKILL');
  }, timeoutMs);
  await Promise.all(ended);
  clearTimeout(late);
}

async function freePort({ host, port }: Config): Promise<number> {
  const probe = createServer().listen({ host, port, exclusive: true });
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** The only lines on standard output. A generated password is never written anywhere else. */
export const announcePassword = (password: string): void => {
  process.stdout.write(`Sign in as admin. This is shown once:\nadmin password: ${password}\n`);
};

export const announceReady = (url: string): void => {
  process.stdout.write(`Sluice is ready at ${url}\n`);
};
