import cluster from 'node:cluster';
import { type Config, ConfigError } from '../config/config.ts';
import { createLog, openService, type Service, startService } from '../main.ts';
import { nativeProblems } from '../operations/native-packages.ts';
import { StoreError } from '../store/metadata-store.ts';
import { announcePassword, announceReady } from './announce.ts';
import { buildMissingAssets } from './build-assets.ts';
import { superviseWorkers } from './supervise-workers.ts';

/** Runs until SIGTERM or SIGINT, then drains and exits with 0. */
export async function serve(config: Config): Promise<void> {
  try {
    if (cluster.isWorker) return await serveAsWorker(config);
    await buildMissingAssets((line) => process.stdout.write(`${line}\n`));
    void warnOfNativeProblems(config);
    if (config.workers > 1) return await superviseWorkers(config);
    const service = await startService(config, createLog(config), announcePassword);
    closeOnSignal(service);
    announceReady(service.url);
  } catch (error) {
    throw startFailure(error, config);
  }
}

/** In parallel to the start. */
async function warnOfNativeProblems(config: Config): Promise<void> {
  const problems = await nativeProblems();
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

/** Errors that an operator can fix are one line; others keep their stack. */
function startFailure(error: unknown, config: Config): unknown {
  if (error instanceof StoreError) return new ConfigError(oneLine(error.message, reasonOf(error.cause)));
  if (!(error instanceof Error) || !('code' in error)) return error;
  const { code } = error;
  if ('syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')) {
    return code === 'EADDRINUSE'
      ? new ConfigError(`port ${config.port} on ${config.host} is in use; set SLUICE_PORT to another one`)
      : new ConfigError(`cannot listen on ${config.host}:${config.port} (${String(code)}); see SLUICE_HOST and SLUICE_PORT`);
  }
  if ('path' in error && typeof error.path === 'string') return new ConfigError(oneLine(error.message));
  if (typeof code === 'string' && code.startsWith('ERR_OSSL')) {
    return new ConfigError(`bad value for SLUICE_TLS_CERT or SLUICE_TLS_KEY: ${oneLine(error.message)}`);
  }
  return error;
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', '); // one per address
  return cause instanceof Error ? cause.message : '';
}

const oneLine = (...parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .join(' ')
    .replace(/\s+/g, ' ');
