import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SalesDatabase } from './sales.ts';

/** A server under test: a real process, known by the address that it announces. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  readonly readyMs: number; // from its start
  stop(): Promise<void>;
}

export async function startServer(
  command: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const begun = performance.now();
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SLUICE_|NODE_)/.test(name));
  const child = spawn(command, words, {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill); // where a run breaks off
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (text: string): void => {
      said += text;
      const found = /ready at (http\S+)/.exec(said)?.[1];
      if (found === undefined) return;
      resolve(found);
      for (const stream of [child.stdout, child.stderr]) stream.off('data', hear).resume(); // its log is not kept
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${command} did not start: ${said}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    readyMs: performance.now() - begun,
    stop: async () => {
      process.off('exit', kill);
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export const startBare = ({ url }: SalesDatabase): Promise<ServerProcess> =>
  startServer(process.execPath, [join(import.meta.dirname, 'bare.ts')], { BENCH_DATABASE: url.href });
