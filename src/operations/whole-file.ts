import { type FileHandle, link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ConfigError } from '../config/config.ts';
import { errorCode } from '../core/error-code.ts';

export interface WholeFileOptions {
  readonly replaces: boolean; // an existing file; false: refuses it
}

const DAY_MS = 86_400_000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes the file of a command, which gets its name when it is complete. Nothing is left if the command fails or is interrupted. The partial
 * file of a killed command is removed by the next one in the folder.
 */
export async function writeWhole<T>(
  file: string,
  { replaces }: WholeFileOptions,
  write: (handle: FileHandle, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await refuseTaken(file, replaces);
  await removeAbandoned(dirname(file));
  const interruption = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void =>
    interruption.abort(new ConfigError(`interrupted by ${signal}; ${file} was not written`));
  for (const signal of signals) process.once(signal, interrupt);
  const partial = join(dirname(file), `${basename(file)}${partialSuffix(process.pid)}`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(partial, 'wx', 0o600);
    const result = await write(handle, interruption.signal);
    await handle.sync();
    interruption.signal.throwIfAborted();
    await (replaces ? rename(partial, file) : link(partial, file));
    return result;
  } catch (error) {
    throw interruption.signal.aborted ? interruption.signal.reason : explainError(file, error);
  } finally {
    await handle?.close();
    await rm(partial, { force: true });
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/** The last step of a pipeline. */
export const appendTo =
  (handle: FileHandle) =>
  async (chunks: AsyncIterable<Uint8Array | string>): Promise<void> => {
    for await (const chunk of chunks) await handle.writeFile(chunk);
  };

const partialSuffix = (pid: number | string): string => `.sluice-partial-${hostname()}-${pid}`;

/** Checked before copying, because the copy could not be stored. */
async function refuseTaken(file: string, replaces: boolean): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory() === true) throw new ConfigError(`${file} is a folder; choose another name`);
  if (found !== null && !replaces) throw existsError(file);
}

/** Partial files of processes of this machine that have ended, or that were not written to for a day. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, host, pid] = /\.sluice-partial-(.+)-(\d+)$/.exec(name) ?? [];
    if (host === undefined) continue;
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
    if ((host === hostname() && hasEnded(Number(pid))) || Date.now() - mtimeMs > DAY_MS) await rm(file, { force: true });
  }
}

function hasEnded(pid: number): boolean {
  if (pid === process.pid) return true; // an earlier process with this number
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

function explainError(file: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'EEXIST') return existsError(file);
  if (!(error instanceof Error) || code === null || !('syscall' in error)) return error;
  return new ConfigError(`cannot write ${file}: ${error.message}`);
}

const existsError = (file: string): ConfigError => new ConfigError(`${file} already exists; choose another name`);
