import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SalesDatabase } from './sales.ts';

/** A server under test: a separate process, at the address that it printed when it was ready. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  readonly readyMs: number; // from its start
  stop(): Promise<void>;
}

export async function startServer(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const startedAt = performance.now();
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SLUICE_|NODE_)/.test(name));
  const child = spawn(command, args, {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill); // if the benchmark is aborted
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const onOutput = (text: string): void => {
      output += text;
      const found = /ready at (http\S+)/.exec(output)?.[1];
      if (found === undefined) return;
      resolve(found);
      for (const stream of [child.stdout, child.stderr]) stream.off('data', onOutput).resume(); // discards the log
    };
    child.stdout.setEncoding('utf8').on('data', onOutput);
    child.stderr.setEncoding('utf8').on('data', onOutput);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${command} did not start: ${output}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    stop: async () => {
      process.off('exit', kill);
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export const startBare = ({ url }: SalesDatabase): Promise<ServerProcess> =>
  startServer(process.execPath, [join(import.meta.dirname, 'bare.ts')], { BENCH_DATABASE: url.href });
